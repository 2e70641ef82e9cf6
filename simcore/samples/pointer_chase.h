// Loads that each depend on the previous one: the memory latency of a tile as one worker sees it.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample pointerChase();

} // namespace simcore::samples
