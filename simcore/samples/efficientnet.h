// EfficientNet: blocks of depthwise or grouped convolutions, with a factor per channel from the channel means (Tan and Le 2019).
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample efficientnet();

} // namespace simcore::samples
