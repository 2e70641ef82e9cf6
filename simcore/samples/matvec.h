// Matrix times vector as in the Poplar tutorial 6, with the cost table of its planner.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample matvec();

} // namespace simcore::samples
