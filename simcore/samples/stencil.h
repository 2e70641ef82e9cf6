// A nine-point stencil on an image: the costs of different block shapes, and of different ways to read the rim.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample stencil();

} // namespace simcore::samples
