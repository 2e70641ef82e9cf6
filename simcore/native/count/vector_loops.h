// Loops that clang vectorised because their width was given, although the machine's compiler would not (decision 060, 1).
#pragma once

#include "simcore/native/count/ir.h"

namespace simcore::native {

// Makes the branches to such a loop go to its scalar copy. The labels of instructions are known, edges of blocks are not yet.
void keepScalarLoops(IrFunction& function);

} // namespace simcore::native
