// Vision transformer: an image is cut into patches, which are the tokens of a transformer (Dosovitskiy et al. 2020).
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample vit();

} // namespace simcore::samples
