// EfficientNet: blocks of depthwise or grouped convolutions whose channels are weighed by their means (Tan and Le 2019).
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample efficientnet();

} // namespace simcore::samples
