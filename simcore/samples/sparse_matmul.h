// Sparse times dense matrix product, with a pattern known at compile time or only at run time.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample sparseMatmul();

} // namespace simcore::samples
