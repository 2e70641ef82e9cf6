#include "ui/views/host/host_rows.h"

namespace ui::host {

namespace {
constexpr std::size_t kMostInstants = 200'000; // instants of one lane and range: more would be one colour anyway

std::vector<shell::TrackEntry> tracksOf(const std::vector<HostEntry>& entries) {
  std::vector<shell::TrackEntry> tracks;
  for (const HostEntry& e : entries) tracks.push_back(e.entry);
  return tracks;
}
} // namespace

HostRows::HostRows(std::shared_ptr<OpenHost> host, std::vector<HostEntry> entries, reports::TickRange extent)
    : TrackSource(
          host, tracksOf(entries), extent, [host](reports::StringId id) { return host->nameOf(id); }, channelPalette),
      m_host(std::move(host)), m_rows(std::move(entries)) {}

bool HostRows::holdsSlices(int track, int lane) const {
  return track >= 0 && std::size_t(track) < m_rows.size() && lane < m_rows[std::size_t(track)].depths && !isDevice(track);
}

bool HostRows::isDevice(int track) const {
  return track >= 0 && std::size_t(track) < m_rows.size() && m_rows[std::size_t(track)].isDevice;
}

std::vector<int> HostRows::deviceTracks() const {
  std::vector<int> tracks;
  for (int i = 0; i < int(m_rows.size()); ++i)
    if (isDevice(i)) tracks.push_back(i);
  return tracks;
}

const HostEntry* HostRows::row(int track) const {
  return track >= 0 && std::size_t(track) < m_rows.size() ? &m_rows[std::size_t(track)] : nullptr;
}

int HostRows::colourOf(int track, const analyser::trace::Cell& cell) const {
  return isDevice(track) ? kFirstActivity + cell.category : m_host->colourOf(cell.category, cell.name);
}

std::vector<plot::Slice> HostRows::slices(int track, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                                          std::stop_token stop) const {
  if (holdsSlices(track, lane)) return TrackSource::slices(track, lane, range, pixels, labelTicks, stop);
  if (isDevice(track)) {
    const auto cells = m_host->reader().use([&](analyser::host::HostTimeline& timeline) {
      return timeline.device().cells(m_rows[std::size_t(track)].entry.id, lane, range, pixels, stop);
    });
    return drawn(track, lane, cells, labelTicks);
  }
  std::vector<plot::Slice> flags;
  const HostEntry& row = m_rows[std::size_t(track)];
  if (row.instants == 0) return flags;
  const auto instants = m_host->reader().use(
      [&](analyser::host::HostTimeline& timeline) { return timeline.instants(row.entry.id, range, kMostInstants, stop); });
  const double pixel = double(range.size()) / std::max(1, pixels);
  for (const auto& instant : instants) {
    if (!flags.empty() && double(instant.tick - flags.back().begin) < pixel) {
      ++flags.back().count;
      continue;
    }
    plot::Slice flag;
    flag.begin = instant.tick;
    flag.end = instant.tick + 1;
    flag.id = shell::sliceKey(track, lane, instant.tick);
    flag.colour = instant.category;
    remember(flag.id, {reports::StringId(std::size_t(instant.name)), instant.category, instant.details, 0, 1});
    flags.push_back(std::move(flag));
  }
  return flags;
}

} // namespace ui::host
