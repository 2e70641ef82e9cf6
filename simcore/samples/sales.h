// Sales of shops from features of shop and day: concatenated embeddings of the features, then dense layers.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample salesForecast();

} // namespace simcore::samples
