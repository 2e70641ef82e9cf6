// Relates the clocks of a Perfetto trace by its snapshots: values of several clocks at one moment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace reports::exchange {

// Numbers of builtin clocks (protos/perfetto/common/builtin_clock.proto).
inline constexpr uint32_t kRealtimeClock = 1, kMonotonicClock = 3, kMonotonicRawClock = 5, kBoottimeClock = 6;

class PerfettoClocks {
public:
  // A clock of a sequence (64 to 127) is different in every sequence.
  static uint64_t key(uint32_t clock, uint32_t sequence) {
    return clock >= 64 && clock < 128 ? uint64_t(sequence) << 32 | clock : clock;
  }
  // One moment: values in nanoseconds by clock. The first snapshot selects the clock of the trace: the boot clock, else
  // `primary`, else another clock in the snapshot.
  void addSnapshot(const std::map<uint64_t, int64_t>& readings, std::optional<uint32_t> primary = {});
  bool isEmpty() const { return m_traceTimeAt.empty(); } // no clock is related to another
  // In the time of the trace; nothing if no snapshot relates the two.
  std::optional<int64_t> toTraceTime(uint64_t clock, int64_t time) const;
  // The clock of packets without a clock id: the boot clock, or the trace's clock if no snapshot relates the two.
  uint32_t unnamed() const;
  std::string name() const; // of the clock of the trace: "boottime"
  // Trace time plus this is Unix time.
  std::optional<int64_t> unixOffset() const;

private:
  uint64_t m_clock = kBoottimeClock;                            // of the trace
  std::map<uint64_t, std::map<int64_t, int64_t>> m_traceTimeAt; // by clock, then by value of that clock
};

} // namespace reports::exchange
