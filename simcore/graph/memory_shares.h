// Shares of a tile's memory, from 0 to 1, that single operations may use for temporary data. The key is the full name of the
// debug context of an operation's plan. A share of an operation can only reduce the share allowed for all operations. The operand
// copies of a function shared by equal operations (model/lowering/shared_nodes.h) have their own name; a share of 0 forbids them.
#pragma once

#include <map>
#include <string>

namespace simcore::graph {

using MemoryShares = std::map<std::string, double>;

// Last word of the name for the operand copies of an operation.
inline constexpr const char* kOperandCopies = "function";

} // namespace simcore::graph
