// Three matrix products in a row, as in the Poplar tutorial 4.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample chainedMatmul();

} // namespace simcore::samples
