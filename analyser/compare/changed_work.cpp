#include "analyser/compare/changed_work.h"

#include <algorithm>
#include <cmath>

namespace analyser::compare {

namespace {

// Minimum number of operations; with fewer, no operation counts as changed. The minimum is higher if the numbers of samples
// differ, because that may add or remove an operation of a small program.
constexpr std::size_t kLeastOperations = 32, kLeastWithSamples = 100;
// At most this number of operations may have changed work, or this share of all operations if that is more.
constexpr std::size_t kMostChanged = 3;
constexpr double kMostChangedOf = 0.01;
// Work has changed if FLOPs differ by more than this share. Another plan, with other partial sums, changes them less.
constexpr double kOtherFlops = 0.25;

bool hasOtherFlops(const OperationDifference& o) {
  const double a = double(o.base.flops.value()), b = double(o.other.flops.value());
  return std::abs(a - b) > kOtherFlops * std::min(a, b);
}

} // namespace

std::set<const OperationDifference*> changedWork(const std::vector<OperationDifference>& all, bool samplesDiffer) {
  const auto operations = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), isOwnWork));
  std::set<const OperationDifference*> changed;
  if (operations < (samplesDiffer ? kLeastWithSamples : kLeastOperations)) return changed;
  const auto most = std::max(kMostChanged, static_cast<std::size_t>(kMostChangedOf * double(operations)));
  for (const auto& o : all) {
    if (!isOwnWork(o)) continue;
    const bool isOther = o.presence != Presence::Both || !o.baseKind.empty() || (!samplesDiffer && hasOtherFlops(o));
    if (!isOther) continue;
    if (changed.size() == most) return {};
    changed.insert(&o);
  }
  return changed;
}

} // namespace analyser::compare
