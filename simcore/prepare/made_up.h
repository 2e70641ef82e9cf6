// Finds the made-up inputs from which a run computes sizes and offsets.
#pragma once

#include "simcore/prepare/prepare.h"

namespace simcore::model {

// The integer inputs that are not given and from which a size, an offset or a number of iterations is computed (offsets of an
// EmbeddingBag, lengths of sequences), in the model's order. Made-up integers are 0, so such a run computes with empty parts.
std::vector<std::string> sizesMadeUp(const Model& read, const NamedTensors& given);

} // namespace simcore::model
