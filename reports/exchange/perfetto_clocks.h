// Relates the clocks of a Perfetto trace by its snapshots: what several clocks showed at one moment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace reports::exchange {

// Numbers of builtin clocks (protos/perfetto/common/builtin_clock.proto).
inline constexpr uint32_t kRealtimeClock = 1, kMonotonicClock = 3, kBoottimeClock = 6;

class PerfettoClocks {
public:
  // A clock of a sequence (64 to 127) is another one in every sequence.
  static uint64_t key(uint32_t clock, uint32_t sequence) {
    return clock >= 64 && clock < 128 ? uint64_t(sequence) << 32 | clock : clock;
  }
  // One moment: readings in nanoseconds by clock.
  void addSnapshot(const std::map<uint64_t, int64_t>& readings);
  // In the time of the boot clock; nothing if no snapshot relates the two.
  bool isEmpty() const { return m_boottimeAt.empty(); } // no clock is related to another
  std::optional<int64_t> toBoottime(uint64_t clock, int64_t time) const;
  // Boot time plus this is Unix time.
  std::optional<int64_t> unixOffset() const;

private:
  std::map<uint64_t, std::map<int64_t, int64_t>> m_boottimeAt; // by clock, then by what it showed
};

} // namespace reports::exchange
