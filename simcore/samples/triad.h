// The stream triad and its relatives on every worker: what the memory ports of the tiles deliver.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample triad();

} // namespace simcore::samples
