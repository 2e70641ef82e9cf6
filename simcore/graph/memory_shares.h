// Shares of a tile's memory, from 0 to 1, that single operations may use for temporary data, by the full name of the debug context of an
// operation's plan. They only lower the share allowed for all operations. Copies of operands that a function shared by equal operations needs
// (model/lowering/shared_nodes.h) have a separate name, and a share of 0 if they are forbidden.
#pragma once

#include <map>
#include <string>

namespace simcore::graph {

using MemoryShares = std::map<std::string, double>;

// Last word of the context of an operation's operand copies.
inline constexpr const char* kOperandCopies = "function";

} // namespace simcore::graph
