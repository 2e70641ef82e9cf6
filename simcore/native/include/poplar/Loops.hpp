// Types of loop counters that a hardware loop can hold.
#pragma once

#include <ipudef.h>

namespace poplar {
using ::rptsize_t;
} // namespace poplar
