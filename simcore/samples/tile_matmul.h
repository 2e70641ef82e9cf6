// One matrix product per tile with the matrix unit: what a tile reaches when nothing has to move.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample tileMatmul();

} // namespace simcore::samples
