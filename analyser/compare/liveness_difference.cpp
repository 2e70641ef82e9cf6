#include "analyser/compare/liveness_difference.h"

#include <algorithm>

namespace analyser::compare {

std::optional<int64_t> matchingStep(const liveness::Liveness& from, int64_t step, const liveness::Liveness& to) {
  if (step < 0 || std::size_t(step) >= from.steps.size()) return std::nullopt;
  const auto isLike = [&wanted = from.steps[std::size_t(step)]](const liveness::Step& s) {
    return s.kind == wanted.kind && s.name == wanted.name;
  };
  auto number = std::count_if(from.steps.begin(), from.steps.begin() + step, isLike);
  for (std::size_t i = 0; i < to.steps.size(); ++i)
    if (isLike(to.steps[i]) && number-- == 0) return int64_t(i);
  return std::nullopt;
}

} // namespace analyser::compare
