// ResNet-50 layer by layer: how a convolutional network's work moves from pixels to channels.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample resnet50();
Sample resnext50(); // with groups in the 3 x 3 convolutions

} // namespace simcore::samples
