// Sales of shops from what is known of shop and day: embeddings of every feature beside each other, then dense layers.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample salesForecast();

} // namespace simcore::samples
