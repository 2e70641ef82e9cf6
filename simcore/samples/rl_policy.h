// A policy of reinforcement learning: an LSTM turns the observations of several steps into a distribution over actions.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample rlPolicy();

} // namespace simcore::samples
