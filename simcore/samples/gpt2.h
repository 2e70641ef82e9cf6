// GPT-2: decoder layers with causal attention, and a head over every token that shares the weights of the embedding.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample gpt2();

} // namespace simcore::samples
