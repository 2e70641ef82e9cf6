#include "ui/views/memory/memory_picture.h"

#include "analyser/session/session.h"
#include "ui/plot/legend.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/tile_map.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <algorithm>

namespace ui::memory {

using theme::reportText;

MemoryPicture::MemoryPicture(const theme::Theme& theme, plot::Legend* legend) : m_theme(theme), m_legend(legend) {
  m_curve = new plot::StepPlot(theme, tr("Memory per tile"));
  insertWidget(Curve, m_overviewed = new plot::OverviewedPlot(theme, m_curve));
  insertWidget(Map, m_map = new plot::TileMap(theme, tr("Floor plan by memory")));
  connectPictures();
}

void MemoryPicture::connectPictures() {
  connect(m_legend, &plot::Legend::shownChanged, this, &MemoryPicture::filter);
  connect(m_legend, &plot::Legend::entryHovered, this, [this](int entry) { // areas come first
    const bool areLines = !m_scene.memory || m_scene.logarithmic;
    m_curve->setEmphasis(m_scene.metric ? -1 : entry - (areLines ? 0 : int(m_scene.memory->parts.size())));
  });
  connect(m_curve, &plot::StepPlot::positionClicked, this, [this](int64_t position, Qt::KeyboardModifiers modifiers) {
    if (position < 0) emit tilesChosen({}); // Escape
    if (position < 0 || position >= m_axis.size()) return;
    if (const auto tiles = m_axis.tilesAt(int(position)); tiles.size() == 1)
      emit tileClicked(tiles.front(), modifiers);
    else
      chooseSpan(position, position);
  });
  connect(m_curve, &plot::StepPlot::rangeDragged, this, [this](int64_t first, int64_t last) { chooseSpan(first, last); });
  connect(m_map, &plot::TileMap::tileClicked, this, [this](int tile, Qt::KeyboardModifiers modifiers) {
    if (tile < 0)
      emit tilesChosen({}); // Escape, or a click between the tiles
    else
      emit tileClicked(tile + std::max(0, m_scene.ipu) * machine().tilesPerIpu, modifiers);
  });
}

void MemoryPicture::chooseSpan(int64_t first, int64_t last) {
  std::vector<reports::TileId> tiles;
  for (int64_t p = std::max<int64_t>(0, first); p <= last && p < m_axis.size(); ++p)
    for (const int tile : m_axis.tilesAt(int(p))) tiles.emplace_back(std::size_t(tile));
  emit tilesChosen(std::move(tiles));
}

const analyser::Machine& MemoryPicture::machine() const { return m_scene.session->machine(); }

void MemoryPicture::show(Scene scene) {
  m_scene = std::move(scene);
  m_axis = tileAxis(machine(), m_scene.ipu, m_scene.order);
  if (m_scene.metric) return showMetric();
  showLegend();
  showCurve();
  showMap();
}

int64_t MemoryPicture::figureOf(int tile) const {
  const auto at = std::size_t(tile);
  if (m_scene.metric) return at < m_scene.metric->values.size() ? m_scene.metric->values[at] : 0;
  return m_scene.memory && at < m_scene.memory->total.values.size() ? m_scene.memory->total.values[at].value() : 0;
}

QString MemoryPicture::figureText(int64_t value) const {
  using analyser::memory::TileMetric;
  if (!m_scene.metric) return m_scene.format.bytes(reports::Bytes(value));
  switch (m_scene.metric->metric) {
  case TileMetric::Cycles: return m_scene.format.cycles(reports::Cycles(value));
  case TileMetric::BytesIn:
  case TileMetric::BytesOut:
  case TileMetric::Alive: return m_scene.format.bytes(reports::Bytes(value));
  case TileMetric::Utilisation: break;
  }
  return theme::percent(double(value) / 1e6);
}

QString MemoryPicture::metricTitle() const {
  QString title = m_scene.metric ? reportText(analyser::memory::tileMetricTitle(m_scene.metric->metric)) : QString();
  return m_scene.format.showsSeconds() ? title.replace(tr("cycles"), tr("time")) : title;
}

QColor MemoryPicture::metricColour() const {
  using analyser::memory::TileMetric;
  if (!m_scene.metric) return m_theme.tokens().disabled;
  if (m_scene.metric->metric == TileMetric::Alive) return m_theme.memory(reports::MemoryCategory::Variable);
  const bool isExchange = analyser::memory::countsBytes(m_scene.metric->metric);
  return m_theme.activity(isExchange ? reports::Activity::InternalExchange : reports::Activity::Compute);
}

// One figure per tile: a filled curve without a limit, and the map.
void MemoryPicture::showMetric() {
  using analyser::memory::TileMetric;
  const auto& metric = *m_scene.metric;
  const QString title = metricTitle();
  const bool isShare = metric.metric == TileMetric::Utilisation;
  int64_t sum = 0, most = 0; // of the displayed tiles
  for (int p = 0; p < m_axis.size(); ++p)
    for (const int tile : m_axis.tilesAt(p)) sum += figureOf(tile), most = std::max(most, figureOf(tile));
  auto along = std::make_shared<std::vector<int64_t>>();
  for (int p = 0; p < m_axis.size(); ++p) along->push_back(metricAt(p));
  const auto groups = bandOfIpus(*along);
  std::vector<plot::LegendEntry> entries{{title, isShare ? tr("at most %1").arg(figureText(most)) : figureText(sum),
                                          [this] { return metricColour(); }, plot::Mark::Area, true}};
  addLegendLines(entries, bandLines(groups));
  m_legend->setEntries(std::move(entries));
  showCurveFrame();
  const bool isSum = analyser::memory::countsBytes(metric.metric);
  m_curve->setAxes(axisTitle(), m_axis.size(),
                   m_axis.tilesAPosition == 1 ? title
                                              : (isSum ? tr("%1, sum of the tiles") : tr("%1, mean of the tiles")).arg(title),
                   isShare                               ? plot::ValueKind::Share
                   : metric.metric == TileMetric::Cycles ? plot::ValueKind::Cycles
                                                         : plot::ValueKind::Bytes);
  if (!isOfMemory()) m_curve->setLimit(0, {});
  m_curve->setLogarithmic(m_scene.logarithmic);
  m_curve->setLayers({});
  std::vector<plot::Curve> curves{{title, [this] { return metricColour(); }, std::move(along), false, true}};
  showBand(groups, curves);
  m_curve->setCurves(std::move(curves));
  filter();
  showMap();
}

// Bytes of the tiles of an IPU are summed; cycles and utilisation are averaged, because tiles work in parallel.
int64_t MemoryPicture::metricAt(int position) const {
  const auto& metric = *m_scene.metric;
  const auto tiles = m_axis.tilesAt(position);
  int64_t sum = 0;
  for (const int tile : tiles) sum += figureOf(tile);
  return analyser::memory::countsBytes(metric.metric) || tiles.empty() ? sum : sum / int64_t(tiles.size());
}

QString MemoryPicture::axisTitle() const {
  switch (m_scene.order) {
  case Order::Software: break;
  case Order::Physical: return tr("Tiles in physical order, column by column");
  case Order::Ipus: return tr("IPU");
  }
  return tr("Tile");
}

void MemoryPicture::clear() {
  m_scene = {}, m_axis = {};
  m_curve->setLayers({}), m_curve->setCurves({}), m_curve->setMarks({}), m_curve->setSelection({});
  m_map->setValues(nullptr);
  m_map->setSelected({});
}

void MemoryPicture::fit() { m_curve->fit(); }

QColor MemoryPicture::partColour(std::size_t part) const {
  if (!m_scene.memory) return m_theme.tokens().disabled; // a legend may be painted once more after clear()
  const auto& parts = m_scene.memory->parts;
  if (part < parts.size() && parts[part].category) return m_theme.memory(*parts[part].category);
  if (part < parts.size()) {
    using namespace analyser::memory;
    if (parts[part].name == kAlwaysLive) return m_theme.alwaysLive();
    if (parts[part].name == kNotAlwaysLive) return m_theme.notAlwaysLive();
    if (parts[part].name == kOverflowed) return m_theme.tokens().bad;
  }
  return m_scene.byCategory ? m_theme.tokens().disabled : m_theme.series(int(part));
}

// Hues also stand for parts in the plot, but lines are drawn on a strip. The first variable is selected: in text colour.
QColor MemoryPicture::variableColour(std::size_t variable) const {
  return variable == 0 ? m_theme.tokens().text : m_theme.series(int(variable) + 1);
}

void MemoryPicture::showLegend() {
  const auto& memory = *m_scene.memory;
  std::vector<plot::LegendEntry> entries;
  const auto add = [&](const QString& title, reports::Bytes sum, std::function<QColor()> colour, plot::Mark mark,
                       const std::string& id = {}) {
    entries.push_back({title, m_scene.format.bytes(sum), std::move(colour), mark, false, QString::fromStdString(id)});
  };
  for (std::size_t p = 0; p < memory.parts.size(); ++p)
    add(
        reportText(memory.parts[p].title),
        memory.parts[p].sum, // the map's colours are amounts, so its legend only selects the parts that count
        [this, p] { return currentIndex() == Map ? m_theme.tokens().secondary : partColour(p); },
        m_scene.logarithmic ? plot::Mark::Line : plot::Mark::Area, memory.parts[p].name);
  if (memory.parts.empty())
    add(
        tr("Without gaps"), memory.total.sum, [this] { return m_theme.series(0); }, plot::Mark::Area, "withoutGaps");
  if (m_scene.gaps)
    add(
        tr("With gaps"), memory.totalWithGaps.sum, [this] { return m_theme.tokens().secondary; }, plot::Mark::Line, "withGaps");
  addLegendLines(entries, bandLines(bandOfIpus(*valuesAlong(m_axis, memory.total.values))));
  for (std::size_t v = 0; v < m_scene.variables.size(); ++v)
    add(
        reportText(m_scene.variables[v]->title), m_scene.variables[v]->sum, [this, v] { return variableColour(v); },
        plot::Mark::Line);
  m_legend->setEntries(std::move(entries));
}

void MemoryPicture::addLegendLines(std::vector<plot::LegendEntry>& entries, const std::vector<Line>& lines) const {
  for (const Line& line : lines) {
    const auto [least, most] = std::minmax_element(line.values->begin(), line.values->end());
    const bool isOne = !line.values->empty() && *least == *most; // if IPUs differ, one figure does not describe them
    entries.push_back({line.title, isOne ? figureText(*most) : QString(),
                       [this, isMedian = line.isMedian] { return bandColour(isMedian); }, plot::Mark::Line, false, line.id});
  }
}

void MemoryPicture::showVariablesAlone() {
  if (m_scene.variables.empty() || m_scene.metric) return;
  const auto shown = m_legend->shown();
  const std::size_t others = shown.size() - std::min(shown.size(), m_scene.variables.size());
  if (std::find(shown.begin(), shown.begin() + std::ptrdiff_t(others), true) == shown.begin() + std::ptrdiff_t(others))
    return m_legend->showAll(); // they are alone
  for (std::size_t i = 0; i < shown.size(); ++i) m_legend->setShown(int(i), i >= others);
}

// Areas first, then lines: the order in the legend.
void MemoryPicture::filter() {
  if (!m_scene.memory) return;
  const auto shown = m_legend->shown();
  if (m_scene.metric) return m_curve->setCurvesShown(shown);
  const auto layers = m_scene.logarithmic ? 0 : std::ptrdiff_t(std::min(m_scene.memory->parts.size(), shown.size()));
  m_curve->setLayersShown({shown.begin(), shown.begin() + layers});
  m_curve->setCurvesShown({shown.begin() + layers, shown.end()});
  showMap();
}

void MemoryPicture::showCurve() {
  const auto& memory = *m_scene.memory;
  showCurveFrame();
  std::vector<plot::AreaLayer> layers;
  std::vector<plot::Curve> curves;
  for (std::size_t p = 0; p < memory.parts.size(); ++p) {
    const QString title = reportText(memory.parts[p].title);
    const auto colour = [this, p] { return partColour(p); };
    auto values = valuesAlong(m_axis, memory.parts[p].values);
    if (m_scene.logarithmic)
      curves.push_back({title, colour, std::move(values)});
    else
      layers.push_back({title, colour, std::move(values)});
  }
  const auto add = [&](const QString& title, const std::vector<reports::Bytes>& values, std::function<QColor()> colour,
                       bool isFilled) {
    curves.push_back({title, std::move(colour), valuesAlong(m_axis, values), false, isFilled});
  };
  if (memory.parts.empty())
    add(
        tr("Without gaps"), memory.total.values, [this] { return m_theme.series(0); }, true);
  if (m_scene.gaps)
    add(
        tr("With gaps"), memory.totalWithGaps.values, [this] { return m_theme.tokens().secondary; }, false);
  showBand(bandOfIpus(*valuesAlong(m_axis, memory.total.values)), curves);
  for (std::size_t v = 0; v < m_scene.variables.size(); ++v)
    add(
        reportText(m_scene.variables[v]->title), m_scene.variables[v]->values, [this, v] { return variableColour(v); }, false);
  m_curve->setLogarithmic(m_scene.logarithmic);
  m_curve->setLayers(std::move(layers));
  m_curve->setCurves(std::move(curves));
  filter();
}

QColor MemoryPicture::bandColour(bool isMedian) const { return isMedian ? m_theme.tokens().text : m_theme.tokens().secondary; }

void MemoryPicture::showBand(const std::vector<Percentiles>& groups, std::vector<plot::Curve>& curves) {
  std::vector<plot::StepBand> bands;
  for (const Percentiles& group : groups) bands.push_back({group.positions, {group.at.front(), group.at.back()}});
  m_curve->setBands(std::move(bands));
  for (const Line& line : bandLines(groups))
    curves.push_back(
        {line.title, [this, isMedian = line.isMedian] { return bandColour(isMedian); }, line.values, !line.isMedian});
}

bool MemoryPicture::isOfMemory() const {
  return !m_scene.metric || m_scene.metric->metric == analyser::memory::TileMetric::Alive;
}

std::vector<Percentiles> MemoryPicture::bandOfIpus(std::span<const int64_t> along) const {
  if (!m_scene.band) return {};
  constexpr double kShares[] = {0.05, 0.5, 0.95};
  std::vector<int64_t> starts;
  for (const auto& [position, ipu] : ipuMarks(machine(), m_axis)) starts.push_back(position);
  return percentiles(along, kShares, std::move(starts));
}

std::vector<MemoryPicture::Line> MemoryPicture::bandLines(const std::vector<Percentiles>& groups) const {
  if (groups.empty()) return {};
  const auto along = [&](std::size_t share) {
    auto values = std::make_shared<std::vector<int64_t>>();
    for (const Percentiles& group : groups) values->insert(values->end(), std::size_t(group.positions.size()), group.at[share]);
    return values;
  };
  return {{tr("5th percentile"), along(0), false, "p5"},
          {tr("Median"), along(1), true, "median"},
          {tr("95th percentile"), along(2), false, "p95"}};
}

// Sets axes, limit, marks and tooltips.
void MemoryPicture::showCurveFrame() {
  m_curve->setFormat(m_scene.format);
  m_curve->setAxes(axisTitle(), m_axis.size(), tr("Memory"), plot::ValueKind::Bytes);
  const reports::Bytes capacity = m_scene.memory->capacity * int64_t(m_axis.tilesAPosition);
  const QString limit = m_axis.tilesAPosition > 1 ? tr("memory of an IPU %1") : tr("tile memory %1");
  m_curve->setLimit(capacity.value(), limit.arg(m_scene.format.bytes(capacity)), m_scene.fullScale);
  m_curve->setMarks(ipuMarks(machine(), m_axis));
  const bool isInOrder = m_axis.tilesAPosition == 1 && m_scene.order == Order::Software;
  m_curve->setFirstPosition(isInOrder && m_axis.size() > 0 ? m_axis.tiles.front() : 0);
  m_curve->setPositionText([this](int64_t position) {
    if (position < 0 || position >= m_axis.size()) return QString();
    const int tile = m_axis.tilesAt(int(position)).front();
    return theme::count(m_axis.tilesAPosition > 1 ? tile / m_axis.tilesAPosition : tile);
  });
  m_curve->setCard([this](int64_t position) {
    if (position < 0 || position >= m_axis.size()) return plot::Card{};
    return m_axis.tilesAPosition > 1 ? ipuCard(int(position)) : tileCard(m_axis.tilesAt(int(position)).front());
  });
}

void MemoryPicture::showMap() {
  const auto& m = machine();
  const auto& memory = *m_scene.memory;
  std::vector<reports::Bytes> sums;
  if (m_scene.metric)
    for (const int64_t value : m_scene.metric->values) sums.emplace_back(value);
  else
    sums = memory.parts.empty() ? memory.total.values : sumOfShown(memory.parts, m_legend->shown());
  auto values = std::make_shared<std::vector<int64_t>>();
  const std::size_t first = std::size_t(std::max(0, m_scene.ipu)) * std::size_t(m.tilesPerIpu);
  const std::size_t count = m_scene.ipu < 0 ? std::size_t(m.tiles()) : std::size_t(m.tilesPerIpu);
  for (std::size_t i = first; i < first + count; ++i) values->push_back(i < sums.size() ? sums[i].value() : 0);
  m_map->setGrid(m_scene.ipu < 0 ? m.ipus : 1, m.tilesPerIpu, m.gridColumns, m.gridRows, m.tileColumn, m.tileRow);
  m_map->setValueText([this](int64_t v) { return figureText(v); });
  using Column = plot::PlotColumn::Kind;
  using analyser::memory::TileMetric;
  const bool isShare = m_scene.metric && m_scene.metric->metric == TileMetric::Utilisation;
  const bool isCycles = m_scene.metric && m_scene.metric->metric == TileMetric::Cycles;
  m_map->setValueKind(isShare ? Column::Share : isCycles ? Column::Cycles : Column::Bytes);
  m_map->setCaption(m_scene.metric                                      ? metricTitle() + tr(" per tile")
                    : m_legend->shown().empty() || memory.parts.empty() ? tr("Memory per tile, without gaps")
                                                                        : tr("Memory per tile, parts shown in the legend"));
  m_map->setFirstTile(int(first));
  m_map->setCard([this, offset = int(first)](int tile) { return tileCard(tile + offset); });
  const bool isWhole = m_scene.fullScale && isOfMemory();
  m_map->setScalePerIpu(m_scene.perIpu && !isWhole);
  std::vector<bool> overflow;
  for (std::size_t i = first; !m_scene.metric && i < first + count; ++i)
    overflow.push_back(i < memory.overflow.values.size() && memory.overflow.values[i] > reports::Bytes());
  m_map->setFaulty(std::move(overflow), tr("more than the tile's %1, gaps included").arg(m_scene.format.bytes(memory.capacity)));
  m_map->setValues(std::move(values), 0,
                   isWhole          ? memory.capacity.value()
                   : m_scene.metric ? std::max<int64_t>(1, m_scene.metric->max)
                                    : 0);
}

void MemoryPicture::setSelected(std::span<const reports::TileId> tiles) {
  if (!m_scene.session) return;
  m_curve->setSelection(selectionAlong(m_axis, tiles));
  std::vector<int> onMap;
  const int first = std::max(0, m_scene.ipu) * machine().tilesPerIpu;
  const int count = m_scene.ipu < 0 ? machine().tiles() : machine().tilesPerIpu;
  for (const reports::TileId tile : tiles)
    if (int(tile.value()) >= first && int(tile.value()) < first + count) onMap.push_back(int(tile.value()) - first);
  m_map->setSelected(std::move(onMap));
}

plot::Card MemoryPicture::tileCard(int tile) const {
  plot::Card card;
  if (!m_scene.memory) return card;
  const auto& memory = *m_scene.memory;
  const auto at = std::size_t(tile);
  if (at >= memory.total.values.size()) return card;
  card.title = machine().ipus > 1 ? tr("Tile %1, IPU %2").arg(tile).arg(tile / machine().tilesPerIpu) : tr("Tile %1").arg(tile);
  const auto bytes = [this](reports::Bytes b) { return m_scene.format.bytesExact(b); };
  if (const auto& metric = m_scene.metric) {
    if (at < metric->values.size()) card.rows.push_back({metricTitle(), figureText(metric->values[at]), metricColour()});
    card.rows.push_back({tr("memory"), bytes(memory.total.values[at]), {}});
    card.hint = tr("Click selects, Shift-click adds");
    return card;
  }
  card.rows.push_back({tr("without gaps"), bytes(memory.total.values[at]), {}});
  card.rows.push_back(
      {tr("with gaps"),
       tr("%1 (%2)").arg(bytes(memory.totalWithGaps.values[at]),
                         theme::percent(ratio(memory.totalWithGaps.values[at], std::max(memory.capacity, reports::Bytes(1))))),
       {}});
  for (std::size_t p = 0; p < memory.parts.size(); ++p)
    if (at < memory.parts[p].values.size() && memory.parts[p].values[at].value() > 0)
      card.rows.push_back({reportText(memory.parts[p].title), bytes(memory.parts[p].values[at]), partColour(p)});
  for (std::size_t v = 0; v < m_scene.variables.size(); ++v)
    if (const auto& variable = *m_scene.variables[v]; at < variable.values.size())
      card.rows.push_back({reportText(variable.title), bytes(variable.values[at]), variableColour(v)});
  card.hint = tr("Click selects, Shift-click adds");
  return card;
}

// Sums over the tiles of an IPU hide which of them is full, so the tooltip names that tile.
plot::Card MemoryPicture::ipuCard(int position) const {
  plot::Card card;
  if (!m_scene.memory) return card;
  const auto& memory = *m_scene.memory;
  const auto tiles = m_axis.tilesAt(position);
  card.title = tr("IPU %1").arg(tiles.front() / m_axis.tilesAPosition);
  const auto sumOf = [&](const std::vector<reports::Bytes>& byTile) {
    reports::Bytes sum;
    for (const int tile : tiles)
      if (std::size_t(tile) < byTile.size()) sum += byTile[std::size_t(tile)];
    return sum;
  };
  const auto add = [&](const QString& title, reports::Bytes bytes, const QColor& colour) {
    card.rows.push_back({title, m_scene.format.bytes(bytes), colour});
  };
  if (m_scene.metric) card.rows.push_back({metricTitle(), figureText(metricAt(position)), metricColour()});
  add(tr("without gaps"), sumOf(memory.total.values), {});
  if (!m_scene.metric)
    for (std::size_t p = 0; p < memory.parts.size(); ++p)
      if (const reports::Bytes sum = sumOf(memory.parts[p].values); sum.value() > 0)
        add(reportText(memory.parts[p].title), sum, partColour(p));
  int fullest = tiles.front();
  for (const int tile : tiles)
    if (std::size_t(tile) < memory.total.values.size() &&
        memory.total.values[std::size_t(tile)] > memory.total.values[std::size_t(fullest)])
      fullest = tile;
  if (std::size_t(fullest) < memory.total.values.size())
    add(tr("fullest, tile %1").arg(fullest), memory.total.values[std::size_t(fullest)], {});
  card.hint = tr("Click selects all tiles of the IPU");
  return card;
}

} // namespace ui::memory
