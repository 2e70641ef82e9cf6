#include "simcore/run/host_timeline.h"

#include "reports/rows/slice_track.h"

#include <unistd.h>

#include <algorithm>

namespace simcore::run {

HostTimeline::HostTimeline(std::string processName) : m_process(std::move(processName)) {
  m_beginUnix = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

int64_t HostTimeline::now() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - m_begin).count(); }

HostTimeline::Lane& HostTimeline::lane() {
  Lane*& l = m_laneOf[std::this_thread::get_id()];
  if (!l) {
    m_lanes.push_back(std::make_unique<Lane>());
    l = m_lanes.back().get();
    l->name = m_lanes.size() == 1 ? "main" : "worker " + std::to_string(m_lanes.size() - 1);
  }
  return *l;
}

int HostTimeline::channelId(const std::string& name) {
  const auto it = std::find(m_channels.begin(), m_channels.end(), name);
  if (it != m_channels.end()) return int(it - m_channels.begin());
  m_channels.push_back(name);
  return int(m_channels.size()) - 1;
}

void HostTimeline::nameThread(std::string name) {
  const std::lock_guard lock(m_mutex);
  lane().name = std::move(name);
}

std::shared_ptr<void> HostTimeline::span(std::string name, const std::string& channel) {
  const std::lock_guard lock(m_mutex);
  Lane& l = lane();
  Span s;
  s.name = std::move(name);
  s.channel = channelId(channel);
  s.depth = l.open++;
  s.start = now();
  if (!l.spans.empty() && l.spans.back().start >= s.start) s.start = l.spans.back().start + 1;
  l.spans.push_back(std::move(s));
  const std::size_t index = l.spans.size() - 1;
  return std::shared_ptr<void>(nullptr, [this, &l, index](void*) {
    const std::lock_guard guard(m_mutex);
    l.spans[index].end = std::max(now(), l.spans[index].start + 1);
    --l.open;
  });
}

void HostTimeline::writeTo(reports::ReportSink& sink, const std::function<int64_t(const std::string&)>& stringId,
                           int64_t firstTrackId) const {
  const std::lock_guard lock(m_mutex);
  reports::HostProcessRow process;
  process.name = m_process;
  process.pid = getpid();
  process.provenance = "measured";
  process.startUnixNanoseconds = m_beginUnix;
  sink.add(process);
  for (std::size_t c = 0; c < m_channels.size(); ++c) {
    reports::ChannelRow row;
    row.id = int64_t(c);
    row.name = m_channels[c];
    sink.add(row);
  }
  const int64_t end = now();
  for (std::size_t i = 0; i < m_lanes.size(); ++i) {
    const Lane& l = *m_lanes[i];
    reports::HostThreadRow thread;
    thread.id = int64_t(i);
    thread.name = l.name;
    thread.trackId = firstTrackId + int64_t(i);
    sink.add(thread);
    reports::TrackRow track;
    track.id = thread.trackId;
    track.kind = "host_thread";
    track.name = l.name;
    track.tickUnit = "nanosecond";
    track.provenance = "measured";
    reports::SliceTrackBuilder builder(sink, track);
    for (const Span& s : l.spans) {
      const int64_t stop = s.end >= 0 ? s.end : end;
      builder.add(s.depth, s.start, std::max<int64_t>(1, stop - s.start), stringId(s.name), uint8_t(s.channel), -1);
    }
    builder.finish();
  }
}

} // namespace simcore::run
