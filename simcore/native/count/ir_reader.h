// Reads the text of an LLVM module, with typed or opaque pointers.
#pragma once

#include "simcore/native/count/ir.h"

namespace simcore::native {

// Throws Error(InvalidInput) with the line that has an unknown instruction, a name without definition or another form than clang's.
IrModule readIr(std::string_view text);

} // namespace simcore::native
