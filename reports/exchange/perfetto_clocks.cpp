#include "reports/exchange/perfetto_clocks.h"

namespace reports::exchange {

void PerfettoClocks::addSnapshot(const std::map<uint64_t, int64_t>& readings, std::optional<uint32_t> primary) {
  if (readings.empty()) return;
  if (isEmpty() && !readings.contains(kBoottimeClock)) {
    m_clock = readings.begin()->first;
    for (const uint32_t clock : {kRealtimeClock, kMonotonicRawClock, kMonotonicClock, primary.value_or(0)})
      if (readings.contains(clock)) m_clock = clock;
  }
  std::optional<int64_t> time;
  if (const auto own = readings.find(m_clock); own != readings.end()) {
    time = own->second;
  } else { // through any clock that an earlier snapshot related to the trace clock
    for (const auto& [clock, reading] : readings)
      if ((time = toTraceTime(clock, reading))) break;
  }
  if (!time) return;
  for (const auto& [clock, reading] : readings) m_traceTimeAt[clock][reading] = *time;
}

std::optional<int64_t> PerfettoClocks::toTraceTime(uint64_t clock, int64_t time) const {
  if (clock == m_clock) return time;
  const auto found = m_traceTimeAt.find(clock);
  if (found == m_traceTimeAt.end()) return std::nullopt;
  auto at = found->second.upper_bound(time); // the last snapshot before, else the first after
  if (at != found->second.begin()) --at;
  return int64_t(uint64_t(time) - uint64_t(at->first) + uint64_t(at->second));
}

uint32_t PerfettoClocks::unnamed() const {
  const bool isBuiltin = m_clock < 64;
  return m_clock == kBoottimeClock || !isBuiltin || m_traceTimeAt.contains(kBoottimeClock) ? kBoottimeClock : uint32_t(m_clock);
}

std::string PerfettoClocks::name() const {
  static const char* const names[] = {"",        "realtime", "realtime_coarse", "monotonic", "monotonic_coarse", "monotonic_raw",
                                      "boottime"};
  return m_clock > 0 && m_clock < std::size(names) ? names[m_clock] : "clock " + std::to_string(uint32_t(m_clock));
}

std::optional<int64_t> PerfettoClocks::unixOffset() const {
  const auto found = m_traceTimeAt.find(kRealtimeClock);
  if (found == m_traceTimeAt.end() || found->second.empty()) return std::nullopt;
  const auto& [unixTime, traceTime] = *found->second.begin();
  return unixTime - traceTime;
}

} // namespace reports::exchange
