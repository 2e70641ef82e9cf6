// Ways to exchange the border of a block with its neighbours.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample haloExchange();

} // namespace simcore::samples
