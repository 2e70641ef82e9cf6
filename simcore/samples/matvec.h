// Matrix times vector as the Poplar tutorial 6 does it, with its planner's cost table.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample matvec();

} // namespace simcore::samples
