// The host's processes and threads as tracks of a timeline, in nanoseconds. Channels get the eight hues in their order.
#pragma once

#include "analyser/host/host_timeline.h"
#include "ui/shell/on_worker.h"
#include "ui/shell/track_source.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::host {

using HostReader = shell::OnWorker<analyser::host::HostTimeline>;

class OpenHost : public shell::SliceAccess {
public:
  // On a worker: counts once by label.
  OpenHost(std::shared_ptr<const analyser::Session> base, const std::stop_token& stop);
  void use(const std::function<void(analyser::trace::Slices&)>& f) override;

  HostReader& reader() { return m_reader; }
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
  const analyser::Session& session() const { return m_reader.base(); } // for names

private:
  void readTracks(analyser::host::HostTimeline& timeline, const std::stop_token& stop);
  HostReader m_reader;
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
