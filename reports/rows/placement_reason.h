// The reason for a variable's address on a tile: the closed list, and a sentence for each. The numbers are stored in
// reports and never change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reports {

enum class PlacementReason : uint8_t {
  Lowest = 0,   // the lowest address there is
  Behind = 1,   // above another variable that is live at the same time
  Aligned = 2,  // behind another, after a gap that its alignment needs
  Region = 3,   // the interleaved region, which a field of a vertex or a planner wants for it
  Apart = 4,    // not in a memory element of another: a vertex loads both in one cycle
  Shares = 5,   // at addresses of another that is never alive at the same time
  FillsGap = 6, // in a gap that something larger left
};
inline constexpr int kPlacementReasonCount = 7;

// A sentence; `other` is the name of the variable the reason speaks of, `demands` what vertices ask of the place (both may be
// empty). Empty for a number that is not a reason.
std::string placementText(int64_t reason, std::string_view other, std::string_view demands);

} // namespace reports
