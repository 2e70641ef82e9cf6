// Fully connected layers on drawn digits: where a product's time goes as layers get wider.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample mlp();

} // namespace simcore::samples
