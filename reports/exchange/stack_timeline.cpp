#include "reports/exchange/stack_timeline.h"

#include <algorithm>

namespace reports::exchange {

void StackTimeline::closeFrom(std::size_t depth, int64_t time) {
  auto& slices = m_assembly.tracks()[m_track].slices;
  for (std::size_t d = depth; d < m_open.size(); ++d) slices[m_open[d]].end = time;
  m_open.resize(std::min(depth, m_open.size()));
  m_frames.erase(m_frames.begin() + std::ptrdiff_t(m_open.size()), m_frames.end());
}

void StackTimeline::add(int64_t time, const std::vector<Frame>& frames, int32_t details) {
  if (m_last != std::numeric_limits<int64_t>::min()) {
    time = std::max(time, m_last + 1);
    const int64_t gap = time - m_last;
    if (m_until < time || (m_usualGap > 0 && (gap > 2 * std::max(m_usualGap, m_span) || m_span < gap / 2)))
      closeFrom(0, m_last + std::min(m_span, gap));
  }
  m_span = m_usualGap;
  m_until = kNever;
  m_last = time;
  m_assembly.source().see(time);
  TraceTrack& track = m_assembly.tracks()[m_track];
  std::size_t common = 0;
  while (common < frames.size() && common < m_frames.size() && frames[common] == m_frames[common]) ++common;
  closeFrom(common, time);
  for (std::size_t d = common; d < frames.size(); ++d) {
    m_open.push_back(track.slices.size());
    m_frames.push_back(frames[d]);
    track.slices.push_back({time, time, frames[d].name, frames[d].details, m_order++, m_channel, 0});
    m_assembly.see(time, frames[d].name);
    m_assembly.counts().slices += m_counted;
  }
  if (frames.empty())
    m_assembly.counts().mend(Mend::SamplesWithoutStack);
  else
    track.instants.push_back({time, frames.back().name, m_channel, InstantScope::Thread, details});
  ++m_assembly.counts().samples;
}

void StackTimeline::finish(int64_t end) {
  if (m_last == std::numeric_limits<int64_t>::min()) return;
  end = std::max(end, m_last + 1);
  m_assembly.source().see(end);
  closeFrom(0, end);
}

int64_t usualGap(std::vector<int64_t>& gaps) {
  constexpr int64_t kGapOfOneSample = 1'000'000;
  if (gaps.empty()) return kGapOfOneSample;
  std::sort(gaps.begin(), gaps.end());
  const int64_t shortest = std::max<int64_t>(1, gaps[gaps.size() / 10]);
  const auto awake = std::upper_bound(
      gaps.begin(), gaps.end(), shortest > std::numeric_limits<int64_t>::max() / kSleepGaps ? shortest : shortest * kSleepGaps);
  // lower median, because a long gap may be a sleep
  return std::max<int64_t>(1, gaps[std::size_t(awake - gaps.begin() - 1) / 2]);
}

} // namespace reports::exchange
