// Writes code that computes the number of iterations of a counted loop before the loop runs.
#pragma once

#include "simcore/native/count/loops.h"

#include <string>

namespace simcore::native {

// Lines of IR that end with `%name = …`, the number of iterations as an i64 from 1 to 2^38. Empty if the loop's condition has no
// simple form. `start` is the first value of the induction variable.
std::string tripCount(const IrFunction& function, const Loops& loops, int loop, const IrOperand& start, const std::string& name);
// Takes the start value from the loop's phi: its operand for block `from`, which enters the loop.
std::string tripCount(const IrFunction& function, const Loops& loops, int loop, int from, const std::string& name);

} // namespace simcore::native
