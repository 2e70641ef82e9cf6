#include "ui/views/trace/trace_sources.h"

#include "ui/theme/format.h"
#include "ui/theme/tokens.h"

#include <QObject>

#include <span>

namespace ui::trace {

using reports::Activity;

namespace {
constexpr int kOpenAmong = 4;      // IPUs
constexpr int kLeastStrength = 96; // out of 255: one busy tile among many in a pixel is still visible
} // namespace

OpenTrace::OpenTrace(std::shared_ptr<const analyser::Session> base) : m_reader(std::move(base)) {
  m_reader.use([this](analyser::trace::ExecutionTrace& trace) { m_tracks = trace.tracks(), m_range = trace.range(); });
}

void OpenTrace::use(const std::function<void(analyser::trace::Slices&)>& f) {
  m_reader.use([&](analyser::trace::ExecutionTrace& trace) { f(trace.slices()); });
}

std::vector<QColor> activityPalette(bool dark) {
  std::vector<QColor> colours;
  for (int a = 0; a < reports::kActivityCount; ++a) {
    // Enclosing spans are paler: the steps inside them matter more.
    const QColor colour = theme::activityColour(Activity(a), dark);
    colours.push_back(Activity(a) == Activity::Scope ? theme::mix(colour, theme::tokens(dark).surface, 0.62) : colour);
  }
  return colours;
}

QString tileTitle(const analyser::Machine& machine, reports::TileId tile) {
  return (machine.isIo(tile) ? QObject::tr("I/O tile %1") : QObject::tr("Tile %1")).arg(tile.value());
}

std::vector<shell::TrackEntry> trackEntries(const OpenTrace& trace, int ipu) {
  std::vector<shell::TrackEntry> entries;
  // All IPUs should be visible: if there are up to kOpenAmong, the first one is expanded; if there are more, all are collapsed.
  const int ipus = ipu < 0 ? trace.session().machine().ipus : 1;
  for (const auto& track : trace.tracks()) {
    if (ipu >= 0 && track.ipu && int(track.ipu->value()) != ipu) continue;
    entries.push_back({track.id,
                       {shell::trackTitle(track), theme::plural(track.slices, QObject::tr("slice"), QObject::tr("slices")),
                        track.depths, false, ipus > kOpenAmong || (ipus > 1 && !entries.empty())}});
  }
  return entries;
}

TileCells::TileCells(std::shared_ptr<OpenTrace> trace, std::shared_ptr<TraceReader> reader, int ipu)
    : m_trace(std::move(trace)), m_reader(std::move(reader)) {
  const auto& machine = m_trace->session().machine();
  m_first = std::max(0, ipu) * machine.tilesPerIpu;
  m_tiles = ipu < 0 ? machine.tiles() : machine.tilesPerIpu;
}

reports::Range<int> TileCells::rowsOf(reports::TrackId track) const {
  for (const auto& t : m_trace->tracks()) {
    if (!track.valid() || t.id != track) continue;
    const auto tiles = analyser::trace::tilesOf(t, m_trace->session().machine());
    return reports::Range<int>{int(tiles.begin) - m_first, int(tiles.end) - m_first}.clippedTo({0, m_tiles});
  }
  return {};
}

std::vector<std::pair<int, QString>> TileCells::groups() const {
  const auto& machine = m_trace->session().machine();
  std::vector<std::pair<int, QString>> ipus;
  for (int row = 0; machine.tilesPerIpu > 0 && rows() > machine.tilesPerIpu && row < rows(); row += machine.tilesPerIpu)
    ipus.emplace_back(row, QObject::tr("IPU %1").arg((m_first + row) / machine.tilesPerIpu));
  return ipus;
}

QString TileCells::rowTitle(int row) const {
  return tileTitle(m_trace->session().machine(), reports::TileId(std::size_t(row + m_first)));
}

plot::CellSource::Picture TileCells::cells(reports::Range<int> rows, reports::TickRange range, int width, int height,
                                           Detail detail, std::stop_token stop) const {
  std::vector<plot::Cell> out(std::size_t(width) * std::size_t(height));
  if (rows.empty() || out.empty()) return {std::move(out)};
  const int wanted = std::min(height, rows.size());
  std::vector<reports::TileId> order;
  const bool isSorted = m_sorted;
  const auto grid = m_reader->use([&](analyser::trace::ExecutionTrace& trace) {
    const bool sketch = detail == Detail::Sketch;
    if (isSorted) {
      order = trace.tilesByIdle(range, reports::TileId(std::size_t(m_first)), m_tiles, sketch, stop);
      const auto shown = rows.clippedTo({0, int(order.size())});
      return trace.gridOf(std::span(order).subspan(std::size_t(shown.begin), std::size_t(shown.size())), range, wanted, width,
                          sketch, stop);
    }
    const reports::TileId first(std::size_t(rows.begin + m_first));
    return sketch ? trace.tileSketch(range, first, rows.size(), wanted, width, stop)
                  : trace.tileGrid(range, first, rows.size(), wanted, width, stop);
  });
  if (grid.rows <= 0 || grid.columns <= 0) return {std::move(out)};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto& from = grid.cells[std::size_t(int64_t(y) * grid.rows / height) * std::size_t(grid.columns) +
                                    std::size_t(int64_t(x) * grid.columns / width)];
      plot::Cell& to = out[std::size_t(y) * std::size_t(width) + std::size_t(x)];
      const bool idle = from.activity == Activity::Idle || from.busy <= 0;
      to.colour = uint8_t(idle ? Activity::Idle : from.activity);
      // Idle tiles are a light grey: visible, but different from busy.
      to.strength = idle ? kIdleStrength : uint8_t(std::clamp(int(from.busy * 255), kLeastStrength, 255));
    }
  plot::CellSource::Picture picture{std::move(out), grid.isExact};
  for (const reports::TileId tile : order) picture.order.push_back(int(tile.value()) - m_first);
  return picture;
}

plot::Card TileCells::card(int row, int64_t tick, plot::Cell cell) const {
  const reports::TileId tile(std::size_t(row + m_first));
  return m_card && cell.strength > 0 ? m_card(tile, Activity(cell.colour), tick) : plot::Card{rowTitle(row)};
}

std::vector<QColor> TileCells::palette(bool dark) const { return activityPalette(dark); }

} // namespace ui::trace
