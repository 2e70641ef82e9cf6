// A half is a type of the language here: two bytes, converts to float and back, and each operation rounds to it.
#pragma once

#include <tilescope_builtins.h>

typedef __ipu_half half;

namespace poplar {
using ::half;
} // namespace poplar
