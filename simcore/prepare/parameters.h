// Chooses the constants of a model that training changes. They are chosen in the file as it was read, before constant folding:
// folding copies a tied table for each of its uses, and an expanded token for each sample of the batch.
#pragma once

#include "simcore/model/graph/graph.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace simcore::model {

// Patterns of names from a command line, with * ? and []. The file decides about names that match no pattern.
struct ParameterChoice {
  std::vector<std::string> parameters; // if given, only these are trained; but freeze and buffers have precedence
  std::vector<std::string> freeze;     // not trained
  std::vector<std::string> buffers;    // not trained: the model's state, such as a mask or a table of positions
  bool mayBeEmpty = false;             // whether a model without parameters is accepted
};

struct ChosenParameters {
  std::set<std::string> trained;
  struct Other {
    std::string name, why;
  };
  std::vector<Other> others; // floating constants that a node reads and that are not trained, in the order of names
  std::int64_t elements = 0; // number of elements in the trained constants

  // "62 tensors, 11.7 M values; not trained: pe (a buffer), mask (not finite) and 3 more".
  std::string text() const;
  std::string othersText(std::size_t most = SIZE_MAX) const; // "mask (not finite), pe (a buffer)"
};

// Chooses what torch calls named_parameters(), as far as a file shows it: floating initialisers of any rank that a node reads.
// Not chosen are: values that are not finite, statistics of a batch norm, ones and zeros that an exporter gave a norm without
// scale and shift, numbers that it folded, names that say "mask", tables of positions and distances, and means and deviations of
// an input. Throws Error: NotFound for a pattern that matches no constant, InvalidInput if nothing is left to train.
ChosenParameters chooseParameters(const Model& read, const ParameterChoice& choice);

} // namespace simcore::model
