// A recommender whose decoder has the weights of its encoder: six dense layers over the ratings of all items.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample autoencoder();

} // namespace simcore::samples
