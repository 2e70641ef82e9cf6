// Explicit steps of the heat equation or the Aliev-Panfilov model on a regular grid over one or more IPUs.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample heat();

} // namespace simcore::samples
