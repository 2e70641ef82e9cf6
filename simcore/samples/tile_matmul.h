// One matrix product per tile with the matrix unit: the rate of a tile that exchanges nothing.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample tileMatmul();

} // namespace simcore::samples
