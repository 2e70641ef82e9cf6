// Loops that clang vectorises because their width is given, although the machine's compiler would not (decision 060, amendment 3).
#pragma once

#include <string>
#include <string_view>

namespace simcore::native {

// The IR before optimisation, with a mark at every loop that must stay scalar: those that were vectorised in `optimised`, which is made from it, and
// whose elements are not adjacent, or whose accesses have masks. Empty if the IR has no such loop without a mark. Loops are recognised by
// their position in the source.
std::string withScalarLoops(std::string_view before, std::string_view optimised);

} // namespace simcore::native
