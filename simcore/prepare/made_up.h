// Made-up inputs from which a run computes sizes and offsets.
#pragma once

#include "simcore/prepare/prepare.h"

namespace simcore::model {

// Integer inputs that are not given and from which a size, an offset or a number of rounds is computed (the offsets of an EmbeddingBag, the
// lengths of sequences), in the model's order. Those made up are 0, so the run is one of empty parts.
std::vector<std::string> sizesMadeUp(const Model& read, const NamedTensors& given);

} // namespace simcore::model
