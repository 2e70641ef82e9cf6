// Reads the text of an LLVM module, with typed or opaque pointers.
#pragma once

#include "simcore/native/count/ir.h"

namespace simcore::native {

// Throws Error(InvalidInput) with the line of an unknown instruction, an undefined name or a form that clang does not write.
IrModule readIr(std::string_view text);

} // namespace simcore::native
