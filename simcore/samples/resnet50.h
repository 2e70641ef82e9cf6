// ResNet-50 layer by layer: how the work of a convolutional network moves from pixels to channels.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample resnet50();
Sample resnext50(); // its 3 x 3 convolutions in groups

} // namespace simcore::samples
