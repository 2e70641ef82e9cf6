// The reason for a variable's address on a tile: the closed list, and a sentence for each. The numbers are stored in reports and
// never change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reports {

enum class PlacementReason : uint8_t {
  Lowest = 0,   // the lowest address
  Behind = 1,   // above another variable that is live at the same time
  Aligned = 2,  // above another variable, after a gap for its alignment
  Region = 3,   // the interleaved region, required by a vertex field or a planner
  Apart = 4,    // in another memory element than a variable that a vertex loads in the same cycle
  Shares = 5,   // at addresses of a variable that is never live at the same time
  FillsGap = 6, // in a gap below a larger variable
};
inline constexpr int kPlacementReasonCount = 7;

// The reason as a sentence. `other` is the name of the variable in the reason, `demands` the constraints of vertices on the
// address (both may be empty). Empty for an unknown number.
std::string placementText(int64_t reason, std::string_view other, std::string_view demands);

} // namespace reports
