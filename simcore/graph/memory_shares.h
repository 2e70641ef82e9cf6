// Shares of a tile's memory, from 0 to 1, that single operations may take for temporary data, by the full name of the debug context in
// which an operation's plan is recorded. They only lower the share that all operations may take.
#pragma once

#include <map>
#include <string>

namespace simcore::graph {

using MemoryShares = std::map<std::string, double>;

} // namespace simcore::graph
