// The rows of the host timeline: the flame lanes of each thread, and below them a lane of flags for its instant events.
#pragma once

#include "ui/parts/track_source.h"
#include "ui/views/host/host_source.h"

namespace ui::host {

class HostRows : public shell::TrackSource {
public:
  HostRows(std::shared_ptr<OpenHost> host, std::vector<HostEntry> entries, reports::TickRange extent);

  std::vector<plot::Slice> slices(int track, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                                  std::stop_token stop) const override;
  bool holdsSlices(int track, int lane) const override;
  // Whether the track is a device. Its steps are requested in host time.
  bool isDevice(int track) const;
  std::vector<int> deviceTracks() const;
  const HostEntry* row(int track) const;
  const std::vector<HostEntry>& all() const { return m_rows; } // from the top

protected:
  int colourOf(int track, const analyser::trace::Cell& cell) const override;
  bool hasDetails(int track) const override { return !isDevice(track); } // steps refer to profiles and contexts

private:
  std::shared_ptr<OpenHost> m_host;
  std::vector<HostEntry> m_rows;
};

} // namespace ui::host
