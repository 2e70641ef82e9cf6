// A policy of reinforcement learning: what was seen over some steps goes through an LSTM and becomes chances of actions.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample rlPolicy();

} // namespace simcore::samples
