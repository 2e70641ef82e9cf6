// Unit scaling of a network in training: without a loss scale, all values have about unit variance.
#pragma once

#include "simcore/model/graph/graph.h"

#include <set>
#include <string>

namespace simcore::model {

struct UnitScaled {
  Model model;
  double lossFactor = 1; // initial factor of the loss's gradient
};
// Needs resolveTypes() and a loss. Constants in `fixed` are not trained. Throws Error(Unsupported) with the node's name if the
// scale of its results is unknown, or if the loss has no cross-entropy with class labels.
UnitScaled withUnitScaling(Model model, const std::string& loss, const std::set<std::string>& fixed = {});

} // namespace simcore::model
