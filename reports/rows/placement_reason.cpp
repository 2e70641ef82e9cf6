#include "reports/rows/placement_reason.h"

namespace reports {

std::string placementText(int64_t reason, std::string_view other, std::string_view demands) {
  if (reason < 0 || reason >= kPlacementReasonCount) return {};
  const std::string name = other.empty() ? "what is below" : "'" + std::string(other) + "'";
  std::string text;
  switch (PlacementReason(reason)) {
  case PlacementReason::Lowest: text = "lowest free address"; break;
  case PlacementReason::Behind: text = "behind " + name + ", which is alive at the same time"; break;
  case PlacementReason::Aligned: text = "behind " + name + ", moved up by its alignment"; break;
  case PlacementReason::Region: text = "in the interleaved region"; break;
  case PlacementReason::Apart: text = "not in a memory element of " + name; break;
  case PlacementReason::Shares: text = "shares memory with " + name + ", which is never alive at the same time"; break;
  case PlacementReason::FillsGap: text = "fills a gap between others"; break;
  }
  if (!demands.empty()) text += " (" + std::string(demands) + ")";
  return text;
}

} // namespace reports
