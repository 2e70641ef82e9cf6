// Variables on four tiles, copies between them, streams and PrintTensor.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample helloTiles();

} // namespace simcore::samples
