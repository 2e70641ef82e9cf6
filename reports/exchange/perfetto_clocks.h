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
  // The key of a clock. A clock with a number from 64 to 127 is a different one in every sequence.
  static uint64_t key(uint32_t clock, uint32_t sequence) {
    return clock >= 64 && clock < 128 ? uint64_t(sequence) << 32 | clock : clock;
  }
  // Adds the values of several clocks at one moment, in nanoseconds. The first snapshot selects the clock of the trace: the boot
  // clock, else `primary`, else another clock in the snapshot.
  void addSnapshot(const std::map<uint64_t, int64_t>& readings, std::optional<uint32_t> primary = {});
  bool isEmpty() const { return m_traceTimeAt.empty(); } // no clock is related to another
  // Converts a clock's time to the trace's time; nothing if no snapshot relates the two.
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
