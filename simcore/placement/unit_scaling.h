// Unit scaling of a dense network in training: without a loss scale, all values have unit variance.
#pragma once

#include "simcore/model/graph/graph.h"

#include <string>

namespace simcore::model {

struct UnitScaled {
  Model model;
  double lossFactor = 1; // initial factor of the loss's gradient
};
// Needs resolveTypes() and a loss. Throws Error(Unsupported) naming the node for a network for which it is not valid.
UnitScaled withUnitScaling(Model model, const std::string& loss);

} // namespace simcore::model
