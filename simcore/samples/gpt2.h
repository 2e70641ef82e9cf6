// GPT-2: decoder layers with causal attention, and a head over every token whose weights are those of the embedding.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample gpt2();

} // namespace simcore::samples
