// One convolution with more and more groups, to compare the methods that the planner chooses.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample groupConv();

} // namespace simcore::samples
