// Finds loops that clang vectorised because their width was given, although the machine's compiler would not (decision 060, 1).
#pragma once

#include "simcore/native/count/ir.h"

namespace simcore::native {

// Redirects branches to these loops to their scalar copies. Needs the labels of instructions, but not yet the edges of blocks.
void keepScalarLoops(IrFunction& function);

} // namespace simcore::native
