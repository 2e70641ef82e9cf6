// The host's processes and threads as tracks of a timeline, in nanoseconds. Channels get the eight hues in their order.
#pragma once

#include "analyser/host/host_timeline.h"
#include "ui/shell/track_source.h"
#include "ui/tables/table.h"

#include <mutex>

namespace ui::host {

class SharedHost : public shell::SliceAccess {
public:
  // On a worker: opens the file again and counts once by label.
  SharedHost(const analyser::Session& base, const std::stop_token& stop);
  void use(const std::function<void(analyser::trace::Slices&)>& f) override;

  template<class F> auto with(F&& f) {
    const std::scoped_lock lock(m_mutex);
    return std::forward<F>(f)(m_timeline);
  }
  // Read once; never change.
  reports::TickRange range() const { return m_range; }
  const analyser::Sentence& verdict() const { return m_verdict; }
  const std::vector<shell::TrackEntry>& entries() const { return m_entries; }
  // Channels in use, by number; a hidden one hides its slices.
  struct Channel {
    int id = 0;
    QString name;
  };
  const std::vector<Channel>& channels() const { return m_channels; }
  QString channelName(int id) const;
  const analyser::Session& session() const { return *m_session; }

private:
  std::mutex m_mutex;
  std::shared_ptr<analyser::Session> m_session;
  analyser::host::HostTimeline m_timeline;
  reports::TickRange m_range;
  analyser::Sentence m_verdict;
  std::vector<shell::TrackEntry> m_entries;
  std::vector<Channel> m_channels;
};

QColor channelColour(int channel, bool dark);
std::vector<QColor> channelPalette(bool dark);
// Row ids are indices of `statistics`.
std::shared_ptr<const tables::Table> statisticsTable(const std::vector<analyser::host::LabelStatistics>& statistics);

} // namespace ui::host
