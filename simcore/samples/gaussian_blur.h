// 3 x 3 blur of an image of four channels, as compiled stencil codelets or as a convolution.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample gaussianBlur();

} // namespace simcore::samples
