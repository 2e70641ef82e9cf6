// Draws random numbers on every tile.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample prngSample();

} // namespace simcore::samples
