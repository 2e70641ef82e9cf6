// A nine-point stencil on an image: the costs of block shapes and of ways to read a rim.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample stencil();

} // namespace simcore::samples
