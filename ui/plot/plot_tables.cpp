// The tables of maps, histograms, flame graphs and bars, and of the lanes that a timeline shows.
#include "ui/plot/bar_list.h"
#include "ui/plot/flame_graph.h"
#include "ui/plot/histogram.h"
#include "ui/plot/split_bar.h"
#include "ui/plot/tile_map.h"
#include "ui/plot/timeline.h"
#include "ui/theme/format.h"

namespace ui::plot {

using Kind = PlotColumn::Kind;

namespace {
constexpr std::size_t kMostSlices = 20'000; // of a timeline's table
int64_t millionths(double share) { return int64_t(share * 1e6 + 0.5); }
} // namespace

// Values have the text of the map: bytes, cycles or a share.
PlotTable TileMap::table() const {
  PlotTable table;
  const bool manyIpus = m_ipus > 1;
  table.columns.push_back({QObject::tr("Tile"), Kind::Count});
  if (manyIpus) table.columns.push_back({QObject::tr("IPU"), Kind::Count});
  table.columns.push_back({m_caption.isEmpty() ? accessibleName() : m_caption, m_kind, m_differences});
  const auto count = m_values ? std::min(m_values->size(), std::size_t(std::max(0, m_ipus * m_tilesPerIpu))) : 0;
  for (std::size_t tile = 0; tile < count; ++tile) {
    auto& row = table.rows.emplace_back();
    row.push_back(int64_t(tile) + m_firstTile);
    if (manyIpus) row.push_back(int64_t(tile) / m_tilesPerIpu);
    if (m_kind == Kind::Words)
      row.push_back(m_text((*m_values)[tile]));
    else
      row.push_back((*m_values)[tile]);
  }
  return table;
}

PlotTable Histogram::table() const {
  PlotTable table;
  table.columns = {{QObject::tr("From"), Kind::Words},
                   {QObject::tr("To"), Kind::Words},
                   {m_noun, Kind::Count},
                   {QObject::tr("Share"), Kind::Share}};
  int64_t all = 0;
  for (const HistogramBar& bar : m_bars) all += bar.count;
  for (const HistogramBar& bar : m_bars)
    table.rows.push_back({m_text(bar.begin), m_text(bar.end), bar.count, millionths(all ? double(bar.count) / double(all) : 0)});
  return table;
}

PlotTable BarList::table() const {
  PlotTable table;
  table.columns = {{QObject::tr("Name")}, {QObject::tr("Value")}, {QObject::tr("Share")}};
  for (const Bar& bar : m_bars) table.rows.push_back({bar.title, bar.text, bar.share});
  return table;
}

PlotTable SplitBar::table() const {
  PlotTable table;
  table.columns = {{QObject::tr("Name")}, {QObject::tr("Value")}, {QObject::tr("Share"), Kind::Share}};
  for (const SplitPart& part : m_parts)
    table.rows.push_back({part.title, part.value, millionths(m_whole > 0 ? part.amount / m_whole : 0)});
  return table;
}

// Own share: the share of the box minus its inner boxes. Values are shares; the tooltips of boxes have the units.
PlotTable FlameGraph::table() const {
  PlotTable table;
  table.columns = {{QObject::tr("Name")},
                   {QObject::tr("Depth"), Kind::Count},
                   {QObject::tr("Inside"), Kind::Words},
                   {QObject::tr("Share of all"), Kind::Share},
                   {QObject::tr("Own share"), Kind::Share}};
  std::vector<int64_t> inner(m_boxes.size()), depths(m_boxes.size());
  int64_t whole = 0;
  for (std::size_t i = 0; i < m_boxes.size(); ++i) {
    const auto parent = std::size_t(std::max(0, m_boxes[i].parent));
    if (m_boxes[i].parent < 0)
      whole += m_boxes[i].value;
    else
      inner[parent] += m_boxes[i].value, depths[i] = depths[parent] + 1;
  }
  for (std::size_t i = 0; i < m_boxes.size() && whole > 0; ++i) {
    const FlameBox& box = m_boxes[i];
    table.rows.push_back({box.name, depths[i], box.parent < 0 ? QString() : m_boxes[std::size_t(box.parent)].name,
                          millionths(double(box.value) / double(whole)),
                          millionths(double(box.value - inner[i]) / double(whole))});
  }
  return table;
}

// The drawn slices; slices that are drawn as one are one row. Times are in the trace's time.
PlotTable Timeline::table() const {
  PlotTable table;
  const auto& amount = tickFormat().amount;
  const int64_t perUnit = amount ? amount->ticksPerUnit : 1;
  const Kind time = amount                       ? (amount->isBytes ? Kind::Bytes : Kind::Count)
                    : tickFormat().isWithoutUnit ? Kind::Count
                    : tickFormat().isNanoseconds ? Kind::Nanoseconds
                                                 : Kind::Cycles;
  table.columns = {{QObject::tr("Band")},
                   {QObject::tr("Lane"), Kind::Count},
                   {QObject::tr("Begin"), Kind::Count},
                   {amount ? QObject::tr("Value") : QObject::tr("Duration"), time},
                   {QObject::tr("Slices"), Kind::Count},
                   {QObject::tr("Name")}};
  if (!m_slices.source()) return table;
  for (std::size_t row = 0; row < m_slices.size(); ++row)
    for (const Slice& slice : m_slices[row]) {
      if (!visibleRange().overlaps({slice.begin, slice.end}) || m_slices.hiddenColours().contains(slice.colour)) continue;
      if (table.rows.size() >= kMostSlices) {
        ++table.left;
        continue;
      }
      const TimelineRows::Lane& lane = m_rows.lanes()[row];
      table.rows.push_back({m_rows.titleOf(lane.track), int64_t(lane.lane), slice.begin / perUnit,
                            (slice.end - slice.begin) / perUnit, int64_t(slice.count),
                            m_slices.source()->card(lane.track, lane.lane, slice).title});
    }
  return table;
}

} // namespace ui::plot
