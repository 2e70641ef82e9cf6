#include "reports/exchange/perfetto_clocks.h"

namespace reports::exchange {

void PerfettoClocks::addSnapshot(const std::map<uint64_t, int64_t>& readings) {
  auto reference = readings.find(kBoottimeClock);
  std::optional<int64_t> boottime;
  if (reference != readings.end()) {
    boottime = reference->second;
  } else { // through any clock that an earlier snapshot related
    for (const auto& [clock, reading] : readings)
      if (const auto time = toBoottime(clock, reading)) {
        boottime = time;
        break;
      }
  }
  if (!boottime) return;
  for (const auto& [clock, reading] : readings) m_boottimeAt[clock][reading] = *boottime;
}

std::optional<int64_t> PerfettoClocks::toBoottime(uint64_t clock, int64_t time) const {
  if (clock == kBoottimeClock) return time;
  const auto found = m_boottimeAt.find(clock);
  if (found == m_boottimeAt.end()) return std::nullopt;
  auto at = found->second.upper_bound(time); // the last snapshot before, else the first after
  if (at != found->second.begin()) --at;
  return int64_t(uint64_t(time) - uint64_t(at->first) + uint64_t(at->second));
}

std::optional<int64_t> PerfettoClocks::unixOffset() const {
  const auto found = m_boottimeAt.find(kRealtimeClock);
  if (found == m_boottimeAt.end() || found->second.empty()) return std::nullopt;
  const auto& [unixTime, boottime] = *found->second.begin();
  return unixTime - boottime;
}

} // namespace reports::exchange
