// A nine-point stencil on an image: what the shape of blocks and the way a rim is read cost.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample stencil();

} // namespace simcore::samples
