// A language model with one LSTM layer: a chain of small steps, unrolled or as one operator.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample lstm();

} // namespace simcore::samples
