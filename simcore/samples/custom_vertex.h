// Suffix sums with a codelet of our own on four tiles.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample customVertex();

} // namespace simcore::samples
