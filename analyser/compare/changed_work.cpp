#include "analyser/compare/changed_work.h"

#include <algorithm>
#include <cmath>

namespace analyser::compare {

namespace {

// Fewer operations are too few to judge. In a small program, another number of samples may add or remove an operation.
constexpr std::size_t kLeastOperations = 32, kLeastWithSamples = 100;
// Limit of operations with changed work: this number, or this share of all if that is more.
constexpr std::size_t kMostChanged = 3;
constexpr double kMostChangedOf = 0.01;
// Changed work: FLOPs differ by more than this share. Partial sums of another plan change them less.
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
