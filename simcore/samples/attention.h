// One layer of self-attention, head by head or grouped.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample attention();

} // namespace simcore::samples
