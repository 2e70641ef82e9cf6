// Structure inside the blocks of a sparse matrix.
#pragma once

namespace popsparse {
namespace experimental {

// Elements of a block on the diagonal that are zero: those above it, or below it.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

} // namespace experimental
} // namespace popsparse
