// The network of the MNIST tutorials on digits that the sample draws.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample mnistTrain();

} // namespace simcore::samples
