// Fully connected layers on drawn digits, in four samples: on one IPU, as four replicas, with state in streaming memory, and with
// transfers that overlap the work.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample mlp();
Sample dataParallel();
Sample offload();
Sample overlappedIo();

} // namespace simcore::samples
