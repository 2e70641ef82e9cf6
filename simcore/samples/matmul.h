// One dense matrix product through the planner.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample matmulSample();

} // namespace simcore::samples
