#include "analyser/compare/trace_difference.h"

#include "reports/core/categories.h"

#include <algorithm>
#include <map>

namespace analyser::compare {

std::vector<StepGrowth> slowerSteps(trace::Slices& base, trace::Slices& other, std::stop_token stop) {
  constexpr auto kScope = uint8_t(reports::Activity::Scope);
  std::map<std::pair<std::string, uint8_t>, trace::NameStatistics> before;
  for (auto& s : trace::statisticsByName(base, {}, base.range(), {}, stop, true))
    if (s.category != kScope) before.emplace(std::pair(s.text, s.category), std::move(s));
  std::vector<StepGrowth> slower;
  for (const auto& s : trace::statisticsByName(other, {}, other.range(), {}, stop, true)) {
    if (s.category == kScope) continue;
    StepGrowth step;
    step.name = s.text, step.other = s.sum, step.otherCount = s.count;
    step.inOther = {s.firstTrack, s.firstDepth, s.first};
    if (const auto it = before.find({s.text, s.category}); it != before.end()) {
      step.base = it->second.sum, step.baseCount = it->second.count;
      step.inBase = {it->second.firstTrack, it->second.firstDepth, it->second.first};
    }
    if (step.difference() > 0) slower.push_back(std::move(step));
  }
  std::sort(slower.begin(), slower.end(), [](const StepGrowth& a, const StepGrowth& b) {
    return std::pair(b.difference(), a.name) < std::pair(a.difference(), b.name);
  });
  return slower;
}

} // namespace analyser::compare
