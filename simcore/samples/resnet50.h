// ResNet-50 layer by layer: how the work of a convolutional network moves from pixels to channels.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample resnet50();

} // namespace simcore::samples
