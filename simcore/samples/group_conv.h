// The same convolution in groups of falling size: which method the planner takes for each.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample groupConv();

} // namespace simcore::samples
