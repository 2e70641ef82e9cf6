// One instruction of LLVM IR from its text.
#pragma once

#include "simcore/native/count/ir.h"

namespace simcore::native {

// Names of blocks are collected in `labels`, in the order of IrInstruction::labels, to be resolved when all blocks are known.
IrInstruction readInstruction(const std::string& text, int64_t line, IrModule& module, std::vector<std::string>& labels);

} // namespace simcore::native
