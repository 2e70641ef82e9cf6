// Loads that depend on one another: the latency of a tile's memory as one worker sees it.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample pointerChase();

} // namespace simcore::samples
