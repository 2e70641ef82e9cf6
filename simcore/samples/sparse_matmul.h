// Sparse times dense matrix product, with a pattern known when compiling or not.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample sparseMatmul();

} // namespace simcore::samples
