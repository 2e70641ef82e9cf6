#include "ui/views/memory/memory_picture.h"

#include "analyser/session/session.h"
#include "ui/plot/legend.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/tile_map.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QVBoxLayout>

#include <algorithm>

namespace ui::memory {

using analyser::memory::TileMetric;
using theme::reportText;

namespace {
constexpr int kGutter = 84; // pixels left of the axes of two plots, so that they are aligned
constexpr double kShares[] = {0.05, 0.5, 0.95};
} // namespace

MemoryPicture::MemoryPicture(const theme::Theme& theme, plot::Legend* legend) : m_theme(theme), m_legend(legend) {
  auto* curves = new QWidget;
  auto* column = new QVBoxLayout(curves);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kHalf);
  m_curve = new plot::StepPlot(theme, tr("Memory per tile"));
  column->addWidget(m_overviewed = new plot::OverviewedPlot(theme, m_curve), 1);
  column->addWidget(m_below = new plot::StepPlot(theme, tr("Memory per tile, B")), 1);
  m_below->setGutter(kGutter);
  m_below->QWidget::setVisible(false);
  insertWidget(Curve, curves);
  insertWidget(Map, m_map = new plot::TileMap(theme, tr("Floor plan by memory")));
  connectPictures();
}

void MemoryPicture::connectPictures() {
  connect(m_legend, &plot::Legend::shownChanged, this, &MemoryPicture::filter);
  connect(m_legend, &plot::Legend::entryHovered, this, [this](int entry) {
    const int parts = int(firstPart()), lines = int(firstPart() + partCount()); // legend indices of parts, lines
    const int curve = entry < parts ? entry : entry >= lines ? entry - lines + parts : -1;
    for (plot::StepPlot* plot : {m_curve, m_below}) plot->setEmphasis(m_scene.metric && !m_scene.other ? -1 : curve);
  });
  for (plot::StepPlot* plot : {m_curve, m_below}) connectCurve(plot);
  connect(m_map, &plot::TileMap::tileClicked, this, [this](int tile, Qt::KeyboardModifiers modifiers) {
    if (tile < 0)
      emit tilesChosen({}); // Escape, or a click between the tiles
    else
      emit tileClicked(tile + std::max(0, m_scene.ipu) * m_scene.machine().tilesPerIpu, modifiers);
  });
}

void MemoryPicture::connectCurve(plot::StepPlot* curve) {
  connect(curve, &plot::StepPlot::positionClicked, this, [this](int64_t position, Qt::KeyboardModifiers modifiers) {
    if (position < 0) emit tilesChosen({}); // Escape
    if (position < 0 || position >= m_axis.size()) return;
    if (const auto tiles = m_axis.tilesAt(int(position)); tiles.size() == 1)
      emit tileClicked(tiles.front(), modifiers);
    else
      chooseSpan(position, position);
  });
  connect(curve, &plot::StepPlot::rangeDragged, this, [this](int64_t first, int64_t last) { chooseSpan(first, last); });
  // Both plots show the same positions.
  plot::StepPlot* twin = curve == m_curve ? m_below : m_curve;
  connect(curve, &plot::StepPlot::visibleChanged, this, [this, twin](reports::Range<int64_t> range) {
    if (m_scene.other && m_scene.isApart) twin->setVisible(range);
  });
}

void MemoryPicture::chooseSpan(int64_t first, int64_t last) {
  std::vector<reports::TileId> tiles;
  for (int64_t p = std::max<int64_t>(0, first); p <= last && p < m_axis.size(); ++p)
    for (const int tile : m_axis.tilesAt(int(p))) tiles.emplace_back(std::size_t(tile));
  emit tilesChosen(std::move(tiles));
}

void MemoryPicture::show(MemoryScene scene) {
  m_scene = std::move(scene);
  m_axis = tileAxis(m_scene.machine(), m_scene.ipu, m_scene.order);
  showLegend();
  showCurves();
  showMap();
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
  for (plot::StepPlot* plot : {m_curve, m_below})
    plot->setLayers({}), plot->setCurves({}), plot->setMarks({}), plot->setSelection({});
  m_map->setValues(nullptr);
  m_map->setSelected({});
}

void MemoryPicture::fit() { m_curve->fit(); }

bool MemoryPicture::hasAreas() const { return m_scene.memory && !m_scene.metric && !m_scene.logarithmic && !m_scene.isMerged(); }

// Parts with entries of their own in the legend: the stacked areas, or for two merged reports the parts that count. On a
// logarithmic axis parts are lines, so there are none.
std::size_t MemoryPicture::partCount() const {
  return m_scene.memory && (hasAreas() || (m_scene.isMerged() && !m_scene.metric)) ? m_scene.memory->parts.size() : 0;
}

std::vector<bool> MemoryPicture::partsShown() const {
  const auto shown = m_legend->shown();
  const std::size_t count = m_scene.isMerged() ? partCount() : m_scene.memory->parts.size();
  const auto first = std::ptrdiff_t(std::min(firstPart(), shown.size()));
  return {shown.begin() + first, shown.begin() + std::ptrdiff_t(std::min(firstPart() + count, shown.size()))};
}

QColor MemoryPicture::reportColour(Of of) const { return m_theme.series(of == Of::B ? 1 : 0); }

MemoryPicture::Values MemoryPicture::along(const MemoryOfReport& report) const {
  if (!report.metric) {
    const bool areParts = m_scene.isMerged() && !report.memory->parts.empty();
    return valuesAlong(m_axis, areParts ? sumOfShown(report.memory->parts, partsShown()) : report.memory->total.values);
  }
  auto values = std::make_shared<std::vector<int64_t>>();
  for (int p = 0; p < m_axis.size(); ++p) values->push_back(m_scene.metricAt(report, m_axis.tilesAt(p)));
  return values;
}

MemoryPicture::Line MemoryPicture::mainOf(const MemoryOfReport& report, Of of) const {
  Line line;
  line.values = along(report);
  line.isFilled = of != Of::B;
  int64_t sum = 0, most = 0; // of the displayed tiles
  for (const int tile : m_axis.tiles) {
    const int64_t amount = MemoryScene::amountOf(report, tile);
    sum += amount, most = std::max(most, amount);
  }
  if (of != Of::One) {
    line.title = of == Of::A ? tr("A") : tr("B"), line.id = of == Of::A ? QStringLiteral("a") : QStringLiteral("b");
    line.value = tr("maximum %1").arg(m_scene.amountText(most));
    line.colour = [this, of] { return reportColour(of); };
  } else if (report.metric) {
    const bool isShare = report.metric->metric == TileMetric::Utilisation;
    line.title = m_scene.metricTitle(), line.isFixed = true;
    line.value = isShare ? tr("at most %1").arg(m_scene.amountText(most)) : m_scene.amountText(sum);
    line.colour = [this] { return m_scene.metricColour(m_theme); };
  } else {
    line.title = tr("Without gaps"), line.id = QStringLiteral("withoutGaps");
    line.value = m_scene.format.bytes(report.memory->total.sum);
    line.colour = [this] { return m_theme.series(0); };
  }
  return line;
}

QString MemoryPicture::titleFor(Of of, const QString& title) {
  return of == Of::One ? title : (of == Of::A ? tr("%1, A") : tr("%1, B")).arg(title);
}

QString MemoryPicture::idFor(Of of, const char* id) {
  return QLatin1String(id) + QLatin1String(of == Of::One ? "" : of == Of::A ? ".a" : ".b");
}

std::vector<MemoryPicture::Line> MemoryPicture::linesOf(const MemoryOfReport& report, Of of) const {
  const auto& memory = *report.memory;
  std::vector<Line> lines;
  if (of == Of::One && !report.metric && m_scene.logarithmic)
    for (std::size_t p = 0; p < memory.parts.size(); ++p)
      lines.push_back({reportText(memory.parts[p].title), m_scene.format.bytes(memory.parts[p].sum),
                       [this, p] { return m_scene.partColour(m_theme, p); }, valuesAlong(m_axis, memory.parts[p].values), false,
                       false, false, QString::fromStdString(memory.parts[p].name)});
  if (of != Of::One || report.metric || memory.parts.empty()) lines.push_back(mainOf(report, of));
  if (m_scene.gaps && !report.metric)
    lines.push_back({titleFor(of, tr("With gaps")), m_scene.format.bytes(memory.totalWithGaps.sum),
                     [this, of] { return of == Of::One ? m_theme.tokens().secondary : reportColour(of); },
                     valuesAlong(m_axis, memory.totalWithGaps.values), of != Of::One, false, false, idFor(of, "withGaps")});
  addBand(lines, report, of);
  for (std::size_t v = 0; !report.metric && v < report.variables.size(); ++v)
    if (const auto& variable = report.variables[v])
      lines.push_back({titleFor(of, reportText(variable->title)),
                       m_scene.format.bytes(variable->sum),
                       [this, v, of] { // dashes are invisible where tiles are narrow, so B is also paler
                         const QColor colour = m_scene.variableColour(m_theme, v);
                         return of == Of::B ? theme::mix(colour, m_theme.tokens().surface, 0.5) : colour;
                       },
                       valuesAlong(m_axis, variable->values),
                       of == Of::B,
                       false,
                       false,
                       {},
                       true});
  return lines;
}

void MemoryPicture::addBand(std::vector<Line>& lines, const MemoryOfReport& report, Of of) const {
  const auto groups = bandOfIpus(*along(report));
  if (groups.empty()) return;
  const std::pair<QString, const char*> names[] = {
      {tr("5th percentile"), "p5"}, {tr("Median"), "median"}, {tr("95th percentile"), "p95"}};
  for (std::size_t share = 0; share < std::size(names); ++share) {
    auto values = std::make_shared<std::vector<int64_t>>(); // with a separate value for every IPU
    for (const Percentiles& group : groups) values->insert(values->end(), std::size_t(group.positions.size()), group.at[share]);
    const auto [least, most] = std::minmax_element(values->begin(), values->end());
    const bool isOne = !values->empty() && *least == *most; // one value cannot describe IPUs that differ
    const bool isMedian = share == 1;
    Line line{names[share].first, isOne ? m_scene.amountText(*most) : QString(),
              [this, of, isMedian] {
                return of != Of::One ? reportColour(of) : isMedian ? m_theme.tokens().text : m_theme.tokens().secondary;
              },
              std::move(values), !isMedian};
    line.title = titleFor(of, line.title), line.id = idFor(of, names[share].second);
    lines.push_back(std::move(line));
  }
}

void MemoryPicture::showLegend() {
  std::vector<plot::LegendEntry> entries;
  const auto add = [&](const Line& line, plot::Mark mark) {
    // With two plots the entry stands for both lines, so it shows no value.
    entries.push_back({line.title, m_scene.other && m_scene.isApart ? QString() : line.value, line.colour, mark, line.isFixed,
                       line.id, line.isVariable});
  };
  auto lines = linesOf(m_scene, m_scene.isMerged() ? Of::A : Of::One);
  std::vector<Line> ofOther;
  if (m_scene.isMerged()) {
    ofOther = linesOf(*m_scene.other, Of::B);
    for (auto* main : {&lines, &ofOther}) add(main->front(), plot::Mark::Line), main->erase(main->begin());
  }
  for (std::size_t p = 0; p < partCount(); ++p) {
    const auto& part = m_scene.memory->parts[p];
    entries.push_back({reportText(part.title),
                       m_scene.other ? m_scene.format.bytesDelta(m_scene.other->memory->parts[p].sum - part.sum)
                                     : m_scene.format.bytes(part.sum),
                       // On the map or with two merged reports, colours do not stand for parts: the legend only selects the parts
                       // that count.
                       [this, p] {
                         return currentIndex() == Map || m_scene.isMerged() ? m_theme.tokens().secondary
                                                                            : m_scene.partColour(m_theme, p);
                       },
                       plot::Mark::Area, false, QString::fromStdString(part.name), false, m_scene.isMerged()});
  }
  for (const auto* list : {&lines, &ofOther})
    for (const Line& line : *list)
      add(line, line.isFilled ? plot::Mark::Area : line.isDashed ? plot::Mark::Dashes : plot::Mark::Line);
  m_legend->setMenuTitle(tr("Parts that count"));
  m_legend->setEntries(std::move(entries));
}

void MemoryPicture::showVariablesAlone() {
  if (!m_scene.memory || m_scene.metric) return;
  std::vector<bool> isVariable(m_legend->shown().size(), false);
  std::size_t at = isVariable.size();
  auto lines = linesOf(m_scene, m_scene.isMerged() ? Of::A : Of::One);
  if (m_scene.isMerged())
    for (Line& line : linesOf(*m_scene.other, Of::B)) lines.push_back(std::move(line));
  std::size_t count = 0;
  for (auto line = lines.rbegin(); line != lines.rend() && at > 0; ++line)
    if (line->id != QLatin1String("a") && line->id != QLatin1String("b"))
      isVariable[--at] = line->isVariable, count += line->isVariable;
  if (count == 0) return;
  const auto shown = m_legend->shown();
  if (shown == isVariable) return m_legend->showAll(); // a second call: only the variables are shown
  for (std::size_t i = 0; i < shown.size(); ++i) m_legend->setShown(int(i), isVariable[i]);
}

// The legend has areas, then lines; for two merged reports A and B, then the parts that count, then the other lines.
void MemoryPicture::filter() {
  if (!m_scene.memory) return;
  if (m_scene.isMerged()) showMerged(); // the curves sum up the parts that count
  const auto shown = m_legend->shown();
  const auto first = std::ptrdiff_t(std::min(firstPart(), shown.size())),
             last = std::ptrdiff_t(std::min(firstPart() + partCount(), shown.size()));
  std::vector<bool> lines(shown.begin(), shown.begin() + first);
  lines.insert(lines.end(), shown.begin() + last, shown.end());
  for (plot::StepPlot* plot : {m_curve, m_below}) {
    plot->setLayersShown(hasAreas() ? std::vector<bool>(shown.begin(), shown.begin() + last) : std::vector<bool>());
    plot->setCurvesShown(lines);
  }
  m_curve->shareScale(m_scene.other && m_scene.isApart ? m_below : nullptr);
  showMap();
}

void MemoryPicture::showCurves() {
  const bool isApart = m_scene.other && m_scene.isApart;
  m_below->QWidget::setVisible(isApart);
  m_curve->setGutter(isApart ? kGutter : 56);
  m_curve->setAccessibleName(isApart         ? tr("Memory per tile, A")
                             : m_scene.other ? tr("Memory per tile of both reports")
                                             : tr("Memory per tile"));
  m_map->setAccessibleName(m_scene.other ? tr("Change in the memory of every tile") : tr("Floor plan by memory"));
  m_curve->setSelectionColour([this] { // the accent colour is also the colour of A
    return m_scene.isMerged() ? m_theme.tokens().text : m_theme.tokens().accent;
  });
  if (!m_scene.isMerged()) showReport(*m_curve, m_scene);
  if (isApart) showReport(*m_below, *m_scene.other);
  filter();
}

namespace {

plot::Curve curveOf(const QString& title, const std::function<QColor()>& colour,
                    std::shared_ptr<const std::vector<int64_t>> values, bool isDashed, bool isFilled) {
  return {title, colour, std::move(values), isDashed, isFilled};
}

} // namespace

// Draws one report in its own plot: stacked parts, or lines.
void MemoryPicture::showReport(plot::StepPlot& curve, const MemoryOfReport& report) {
  showFrame(curve);
  std::vector<plot::AreaLayer> layers;
  for (std::size_t p = 0; hasAreas() && p < report.memory->parts.size(); ++p)
    layers.push_back({reportText(report.memory->parts[p].title), [this, p] { return m_scene.partColour(m_theme, p); },
                      valuesAlong(m_axis, report.memory->parts[p].values)});
  std::vector<plot::StepBand> bands;
  for (const Percentiles& group : bandOfIpus(*along(report)))
    bands.push_back({group.positions, {group.at.front(), group.at.back()}});
  std::vector<plot::Curve> curves;
  for (const Line& line : linesOf(report, Of::One))
    curves.push_back(curveOf(line.title, line.colour, line.values, line.isDashed, line.isFilled));
  curve.setBands(std::move(bands));
  curve.setDifferenceTold(false);
  curve.setLogarithmic(m_scene.logarithmic);
  curve.setLayers(std::move(layers));
  curve.setCurves(std::move(curves));
}

void MemoryPicture::showMerged() {
  showFrame(*m_curve);
  const auto a = linesOf(m_scene, Of::A), b = linesOf(*m_scene.other, Of::B);
  std::vector<plot::Curve> curves;
  for (const Line* line : {&a.front(), &b.front()})
    curves.push_back(curveOf(line->title, line->colour, line->values, line->isDashed, line->isFilled));
  for (const auto* lines : {&a, &b})
    for (std::size_t i = 1; i < lines->size(); ++i) {
      const Line& line = (*lines)[i];
      curves.push_back(curveOf(line.title, line.colour, line.values, line.isDashed, line.isFilled));
    }
  m_curve->setBands({});
  m_curve->setDifferenceTold(true);
  m_curve->setLogarithmic(m_scene.logarithmic);
  m_curve->setLayers({});
  m_curve->setCurves(std::move(curves));
}

std::vector<Percentiles> MemoryPicture::bandOfIpus(std::span<const int64_t> along) const {
  if (!m_scene.band) return {};
  std::vector<int64_t> starts;
  for (const auto& [position, ipu] : ipuMarks(m_scene.machine(), m_axis)) starts.push_back(position);
  return percentiles(along, kShares, std::move(starts));
}

// Sets axes, limit, marks and tooltips.
void MemoryPicture::showFrame(plot::StepPlot& curve) {
  curve.setFormat(m_scene.format);
  const auto& metric = m_scene.metric;
  const bool isOne = m_axis.tilesAPosition == 1;
  QString title = !metric                                         ? tr("Memory")
                  : isOne                                         ? m_scene.metricTitle()
                  : analyser::memory::countsBytes(metric->metric) ? tr("%1, sum of the tiles").arg(m_scene.metricTitle())
                                                                  : tr("%1, mean of the tiles").arg(m_scene.metricTitle());
  if (m_scene.other && m_scene.isApart) title = (&curve == m_curve ? tr("A: %1") : tr("B: %1")).arg(title);
  curve.setAxes(axisTitle(), m_axis.size(), title,
                metric && metric->metric == TileMetric::Utilisation ? plot::ValueKind::Share
                : metric && metric->metric == TileMetric::Cycles    ? plot::ValueKind::Cycles
                                                                    : plot::ValueKind::Bytes);
  const reports::Bytes ofTile =
      m_scene.other ? std::max(m_scene.memory->capacity, m_scene.other->memory->capacity) : m_scene.memory->capacity;
  const reports::Bytes capacity = ofTile * int64_t(m_axis.tilesAPosition);
  const QString limit = isOne ? tr("tile memory %1") : tr("memory of an IPU %1");
  if (m_scene.isOfMemory())
    curve.setLimit(capacity.value(), limit.arg(m_scene.format.bytes(capacity)), m_scene.fullScale);
  else
    curve.setLimit(0, {});
  curve.setMarks(ipuMarks(m_scene.machine(), m_axis));
  const bool isInOrder = isOne && m_scene.order == Order::Software;
  curve.setFirstPosition(isInOrder && m_axis.size() > 0 ? m_axis.tiles.front() : 0);
  curve.setPositionText([this](int64_t position) {
    if (position < 0 || position >= m_axis.size()) return QString();
    const int tile = m_axis.tilesAt(int(position)).front();
    return theme::count(m_axis.tilesAPosition > 1 ? tile / m_axis.tilesAPosition : tile);
  });
  curve.setCard([this](int64_t position) {
    if (position < 0 || position >= m_axis.size()) return plot::Card{};
    const auto tiles = m_axis.tilesAt(int(position));
    return m_axis.tilesAPosition > 1 ? m_scene.ipuCard(m_theme, tiles) : m_scene.tileCard(m_theme, tiles.front());
  });
}

void MemoryPicture::showMap() {
  const auto& m = m_scene.machine();
  const auto& memory = *m_scene.memory;
  const bool hasParts = !m_scene.metric && !memory.parts.empty();
  const auto amounts = [&](const MemoryOfReport& report) {
    return hasParts ? sumOfShown(report.memory->parts, partsShown()) : std::vector<reports::Bytes>();
  };
  const auto sums = amounts(m_scene), sumsOfOther = m_scene.other ? amounts(*m_scene.other) : std::vector<reports::Bytes>();
  const auto amountAt = [hasParts](const MemoryOfReport& report, const std::vector<reports::Bytes>& parts, std::size_t tile) {
    return !hasParts ? MemoryScene::amountOf(report, int(tile)) : tile < parts.size() ? parts[tile].value() : 0;
  };
  auto values = std::make_shared<std::vector<int64_t>>();
  const std::size_t first = std::size_t(std::max(0, m_scene.ipu)) * std::size_t(m.tilesPerIpu);
  const std::size_t count = m_scene.ipu < 0 ? std::size_t(m.tiles()) : std::size_t(m.tilesPerIpu);
  std::vector<bool> overflow;
  for (std::size_t tile = first; tile < first + count; ++tile) {
    const int64_t amount = amountAt(m_scene, sums, tile);
    values->push_back(m_scene.other ? amountAt(*m_scene.other, sumsOfOther, tile) - amount : amount);
    if (!m_scene.metric && !m_scene.other)
      overflow.push_back(tile < memory.overflow.values.size() && memory.overflow.values[tile] > reports::Bytes());
  }
  m_map->setGrid(m_scene.ipu < 0 ? m.ipus : 1, m.tilesPerIpu, m.gridColumns, m.gridRows, m.tileColumn, m.tileRow);
  m_map->setValueText([this](int64_t v) { return m_scene.figureText(v); });
  using Column = plot::PlotColumn::Kind;
  const bool isShare = m_scene.metric && m_scene.metric->metric == TileMetric::Utilisation;
  const bool isCycles = m_scene.metric && m_scene.metric->metric == TileMetric::Cycles;
  m_map->setValueKind(isShare ? Column::Share : isCycles ? Column::Cycles : Column::Bytes);
  const QString caption = m_scene.metric                           ? m_scene.metricTitle() + tr(" per tile")
                          : m_legend->shown().empty() || !hasParts ? tr("Memory per tile, without gaps")
                                                                   : tr("Memory per tile, parts shown in the legend");
  m_map->setCaption(m_scene.other ? tr("%1, B − A").arg(caption) : caption);
  m_map->setFirstTile(int(first));
  m_map->setCard([this, offset = int(first)](int tile) { return m_scene.tileCard(m_theme, tile + offset); });
  const bool isWhole = m_scene.fullScale && m_scene.isOfMemory();
  m_map->setScalePerIpu(m_scene.perIpu && !isWhole);
  m_map->setFaulty(std::move(overflow), tr("more than the tile's %1, gaps included").arg(m_scene.format.bytes(memory.capacity)));
  m_map->setValues(std::move(values), 0,
                   m_scene.other    ? 0
                   : isWhole        ? memory.capacity.value()
                   : m_scene.metric ? std::max<int64_t>(1, m_scene.metric->max)
                                    : 0,
                   m_scene.other.has_value());
}

void MemoryPicture::setSelected(std::span<const reports::TileId> tiles) {
  if (!m_scene.session) return;
  for (plot::StepPlot* plot : {m_curve, m_below}) plot->setSelection(selectionAlong(m_axis, tiles));
  std::vector<int> onMap;
  const auto& machine = m_scene.machine();
  const int first = std::max(0, m_scene.ipu) * machine.tilesPerIpu;
  const int count = m_scene.ipu < 0 ? machine.tiles() : machine.tilesPerIpu;
  for (const reports::TileId tile : tiles)
    if (int(tile.value()) >= first && int(tile.value()) < first + count) onMap.push_back(int(tile.value()) - first);
  m_map->setSelected(std::move(onMap));
}

} // namespace ui::memory
