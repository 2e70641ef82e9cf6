// Shares of a tile's memory, from 0 to 1, that single operations may take for temporary data, by the full name of the debug context in
// which an operation's plan is recorded. They only lower the share that all operations may take. Copies of operands that a function
// shared by equal operations needs (model/lowering/shared_nodes.h) have a name of their own, and a share of 0 if there may be none.
#pragma once

#include <map>
#include <string>

namespace simcore::graph {

using MemoryShares = std::map<std::string, double>;

// Last word of the context of an operation's operand copies.
inline constexpr const char* kOperandCopies = "function";

} // namespace simcore::graph
