// y += a x on local data, the codelet of popops::scaledAddTo.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample scaledAddSample();

} // namespace simcore::samples
