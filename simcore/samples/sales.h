// Sales of shops from features of shop and day: embeddings of the features, concatenated, then dense layers.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample salesForecast();

} // namespace simcore::samples
