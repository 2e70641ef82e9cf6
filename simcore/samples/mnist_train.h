// The network of the MNIST tutorials on digits the sample draws itself.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample mnistTrain();

} // namespace simcore::samples
