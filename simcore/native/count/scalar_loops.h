// Loops that clang vectorises because their width is given, although the machine's compiler would not (decision 060, amendment 3).
#pragma once

#include <string>
#include <string_view>

namespace simcore::native {

// Marks the loops of `before`, the IR before optimisation, that must stay scalar: those that were vectorised in `optimised`, the
// IR after it, although their elements are not adjacent or their accesses are masked. Returns an empty text if there are no
// further loops to mark. Loops are recognised by their position in the source.
std::string withScalarLoops(std::string_view before, std::string_view optimised);

} // namespace simcore::native
