// Fully connected layers on drawn digits, in three samples: on one IPU, as four replicas, with state in streaming memory.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample mlp();
Sample dataParallel();
Sample offload();

} // namespace simcore::samples
