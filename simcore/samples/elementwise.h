// One element-wise operation on local data of a number of tiles.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample elementwiseSample();

} // namespace simcore::samples
