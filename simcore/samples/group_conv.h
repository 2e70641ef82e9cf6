// The same convolution with more and more groups: which method the planner chooses for each.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample groupConv();

} // namespace simcore::samples
