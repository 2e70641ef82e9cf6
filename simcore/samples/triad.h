// The stream triad and similar kernels on every worker: the bandwidth of the tiles' memory ports.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample triad();

} // namespace simcore::samples
