// Turns call stacks at points in time into slices: a frame lasts while consecutive samples contain it. Each sample is also an
// instant, so that samples can be counted exactly.
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace reports::exchange {

class StackTimeline {
public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  // `track` must not have other slices. Samples come in order of time; two at one time are put a nanosecond apart. `counted`: the
  // slices count as slices of the trace, not as additional ones.
  StackTimeline(TraceAssembly& assembly, std::size_t track, uint8_t channel, bool counted)
      : m_assembly(assembly), m_track(track), m_channel(channel), m_counted(counted) {}
  struct Frame {
    Frame(uint32_t nameId, int32_t detailsId = -1) : name(nameId), details(detailsId) {} // a name alone makes a frame
    uint32_t name;
    int32_t details; // of its slices
    bool operator==(const Frame&) const = default;
  };
  // Usual distance of a busy thread's samples. After twice this time without a sample, nothing is drawn until the next sample.
  void setUsualGap(int64_t nanoseconds) { m_usualGap = m_span = nanoseconds; }
  // The time that the last added sample represents. With a much shorter span than usual, its frames end before the next sample;
  // with a longer span, they may last longer than usual. They end at `until` at the latest, even if the next sample is later.
  void setSpan(int64_t nanoseconds, int64_t until = kNever) {
    m_until = std::max(until, m_last + 1);
    m_span = std::min(nanoseconds, m_until - m_last);
  }
  int64_t span() const { return m_span; }
  // Frames from the outermost to the innermost. `details` belong to the sample's instant.
  void add(int64_t time, const std::vector<Frame>& frames, int32_t details = -1);
  void add(int64_t time, const std::vector<uint32_t>& names) { add(time, std::vector<Frame>(names.begin(), names.end())); }
  // Ends the last sample's frames at `end`, at least a nanosecond after the sample.
  void finish(int64_t end);
  int64_t lastTime() const { return m_last; }

private:
  void closeFrom(std::size_t depth, int64_t time);
  TraceAssembly& m_assembly;
  std::size_t m_track;
  uint8_t m_channel;
  bool m_counted;
  std::vector<std::size_t> m_open; // slice index by depth
  std::vector<Frame> m_frames;
  int64_t m_last = std::numeric_limits<int64_t>::min(), m_usualGap = 0, m_span = 0, m_until = kNever;
  uint32_t m_order = 0;
};

// In a gap, a thread counts as asleep if the gap is more than this many times as long as the gaps of the shortest tenth.
inline constexpr int64_t kSleepGaps = 4;
// The usual distance of samples, from the distances of consecutive samples; a millisecond if there are none.
int64_t usualGap(std::vector<int64_t>& gaps);

} // namespace reports::exchange
