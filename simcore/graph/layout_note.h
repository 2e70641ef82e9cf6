// Explains in a report why an operand moves in an exchange: its layout on the tiles, and the layout that the receivers need.
#pragma once

#include "reports/core/ids.h"
#include "simcore/numerics/shape.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simcore::graph {

struct Box;
class Distribution;
class PerTile;

struct LayoutNote {
  std::string cut;   // "rows in 16, columns in 4", "whole", "elements in 1216"; empty: unknown
  int64_t tiles = 0; // number of tiles that hold or need a part
  bool operator==(const LayoutNote&) const = default;
};

struct MoveNote {
  reports::VariableId variable; // the operand; invalid: unknown
  int64_t elements = 0;         // of the operand
  int64_t bytes = 0;            // received by all tiles together
  LayoutNote held, wanted;
};
// Limit of operands of an exchange for which notes are kept.
inline constexpr std::size_t kMostMoveNotes = 32;

LayoutNote noteOf(const Distribution& layout);
// The layout needed by receivers that take boxes of a tensor of this shape.
LayoutNote noteOf(const numerics::Shape& shape, std::span<const Box> boxes);
// The layout needed by receivers that each take `wanted` of `all` elements.
LayoutNote noteOf(const PerTile& wanted, int64_t all);
// "rows in 16, columns in 4": for each dimension that is cut, its name and number of parts.
std::string cutText(const numerics::Shape& shape, std::span<const int64_t> parts);

} // namespace simcore::graph
