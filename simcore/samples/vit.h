// Vision transformer: a picture cut into patches that read one another like words (Dosovitskiy et al. 2020).
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample vit();

} // namespace simcore::samples
