#include "ui/views/host/counter_lanes.h"

#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui::host {

using theme::reportText;

namespace {
constexpr int kChartHeight = 56, kChartGap = 10, kMostShownCharts = 4;
constexpr int kLowChart = 32;                     // two lines of text
constexpr int kLeastChart = 24, kMostChart = 480; // by a drag
constexpr double kHeatDecades = 4;                // decades of shares with different colours
} // namespace

CounterLanes::CounterLanes(const theme::Theme& theme, jobs::JobBoard* board, QWidget* parent)
    : TimeView(theme, tr("Counters"), parent), m_job(tr("Reading counters"), board, this) {
  setMinimapShown(false);
  setAxisShown(false); // the timeline above has the axis
  setMinimumSize(320, kLowChart + kChartGap);
  connect(&m_job, &jobs::JobBase::busyChanged, this, &TimeView::busyChanged);
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { m_asked = {}; }); // requested again when it is next visible
}

CounterLanes::~CounterLanes() = default;

void CounterLanes::setHost(std::shared_ptr<OpenHost> host) {
  m_host = std::move(host);
  rebuild();
}

plot::PlotTable CounterLanes::table() const {
  using Column = plot::PlotColumn::Kind;
  plot::PlotTable table;
  table.columns = {{tr("Counter")}, {tr("Series")}, {tr("Least")}, {tr("Most")}, {tr("Samples"), Column::Count}};
  for (const Chart& chart : m_charts)
    for (const auto& series : chart.shown.series)
      table.rows.push_back({chart.title, reportText(series.name), valueText(chart, series.min), valueText(chart, series.max),
                            series.samples > 0 ? plot::PlotTable::Cell(series.samples) : plot::PlotTable::Cell()});
  return table;
}

QString CounterLanes::shows() const {
  constexpr qsizetype kNamed = 8;
  QStringList titles;
  for (const Chart& chart : m_charts) titles << chart.title;
  if (titles.isEmpty()) return tr("Nothing is shown");
  const auto more = titles.size() - kNamed;
  if (more > 0) titles = titles.mid(0, kNamed) << tr("%1 more").arg(theme::count(more));
  return QStringLiteral("%1. %2").arg(titles.join(QStringLiteral(", ")), TimeView::shows());
}

void CounterLanes::addChart(Kind kind, analyser::host::Chart shown, const QString& title) {
  Chart c{kind, std::move(shown), {}, title, 0, 0};
  bool first = true;
  for (const auto& series : c.shown.series) {
    c.low = first ? series.min : std::min(c.low, series.min);
    c.high = first ? series.max : std::max(c.high, series.max);
    first = false;
  }
  c.low = std::min(c.low, 0.0); // the axis includes 0, so that heights are proportional to values
  if (!(c.high > c.low)) c.high = c.low + 1;
  m_charts.push_back(std::move(c));
}

void CounterLanes::rebuild() {
  m_job.drop();
  m_resized = -1;
  m_charts.clear();
  m_asked = {};
  if (m_host) {
    // Heatmaps come first: programs record few, and on purpose.
    for (const auto& heatmap : m_host->heatmaps()) {
      if (heatmap.bins() == 0) continue;
      m_charts.push_back({Kind::Heatmap, {}, heatmap, reportText(heatmap.name), heatmap.edges.front(), heatmap.edges.back()});
      m_charts.back().shown.unit = heatmap.unit;
      m_charts.back().shown.process = heatmap.process;
    }
    for (const auto& chart : m_host->charts()) addChart(Kind::Counter, chart, reportText(chart.name));
    // Series that are derived from slices come after the recorded counters.
    using analyser::host::Series;
    if (m_derived && m_host->hasDevice())
      addChart(Kind::Device, {{}, "IPU activity", "%", {Series{-1, {}, 0, 0, 100}}},
               m_host->hasWaits() ? tr("IPU activity") : tr("IPU activity, stretched"));
    if (m_derived && m_host->threads() > 1)
      addChart(Kind::BusyThreads, {{}, "busy threads", "", {Series{-1, {}, 0, 0, double(m_host->threads())}}},
               tr("Busy threads"));
    setExtent(m_host->range());
  }
  describeIt();
  relayout();
  visibleWasChanged();
  update();
}

void CounterLanes::setDerivedShown(bool shown) {
  m_derived = shown;
  rebuild();
}

void CounterLanes::refetch() {
  m_asked = {};
  visibleWasChanged();
}

void CounterLanes::setFilled(bool filled) {
  m_filled = filled;
  update();
}

int CounterLanes::heightOf(std::size_t chart) const {
  const auto byHand = m_heights.find(m_charts[chart].title);
  return byHand != m_heights.end() ? byHand->second : m_isLow ? kLowChart : kChartHeight;
}

void CounterLanes::setLow(bool isLow) {
  if (isLow == m_isLow) return;
  m_isLow = isLow;
  visibleWasChanged();
  update();
}

int CounterLanes::topOf(std::size_t chart) const {
  int top = kChartGap / 2;
  for (std::size_t i = 0; i < std::min(chart, m_charts.size()); ++i) top += heightOf(i) + kChartGap;
  return top;
}

int CounterLanes::contentHeight() const { return topOf(m_charts.size()); }
// 2 pixels are for the frame.
int CounterLanes::heightOfCharts(std::size_t count) const { return topOf(std::min(m_charts.size(), count)) + 2; }
int CounterLanes::preferredHeight() const { return heightOfCharts(kMostShownCharts); }

int CounterLanes::fittingHeight(int room) const {
  std::size_t count = 1;
  while (count < m_charts.size() && heightOfCharts(count + 1) <= std::min(room, preferredHeight())) ++count;
  return heightOfCharts(count);
}

int CounterLanes::chartAt(int y) const {
  for (std::size_t i = 0; i < m_charts.size(); ++i)
    if (y >= topOf(i) - kChartGap / 2 && y < topOf(i + 1) - kChartGap / 2) return int(i);
  return -1;
}

QRect CounterLanes::chartRect(std::size_t chart) const {
  return {body().left(), body().top() + topOf(chart) - scrolled(), body().width(), heightOf(chart)};
}

// The chart whose lower edge is at this position; -1: none.
int CounterLanes::edgeAt(const QPoint& at) const {
  if (at.x() >= body().left()) return -1;
  for (std::size_t i = 0; i < m_charts.size(); ++i)
    if (const int below = at.y() - chartRect(i).bottom(); below > -kChartGap / 2 && below <= kChartGap) return int(i);
  return -1;
}

bool CounterLanes::movesRow(const QPoint& from) const { return edgeAt(from) >= 0; }

void CounterLanes::rowDragged(const QPoint& from, const QPoint& to, bool ended) {
  if (m_resized < 0) {
    m_resized = edgeAt(from);
    if (m_resized < 0) return;
    m_heightBefore = heightOf(std::size_t(m_resized));
  }
  m_heights[m_charts[std::size_t(m_resized)].title] = std::clamp(m_heightBefore + to.y() - from.y(), kLeastChart, kMostChart);
  if (ended) m_resized = -1;
  relayout();
  emit heightsChanged();
}

void CounterLanes::visibleWasChanged() {
  if (!m_host || m_charts.empty() || !isVisible()) return;
  const int pixels = std::max(1, body().width());
  if (m_asked == visibleRange() && m_askedPixels == pixels) return;
  m_asked = visibleRange(), m_askedPixels = pixels;
  m_job.start(
      [host = m_host, charts = m_charts, range = m_asked, pixels](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          Answer answer;
          analyser::host::ActivityColumns activity;
          if (std::any_of(charts.begin(), charts.end(),
                          [](const Chart& c) { return c.kind == Kind::BusyThreads || c.kind == Kind::Device; }))
            activity = analyser::host::activityColumns(timeline, range, pixels, stop);
          for (const Chart& chart : charts) answer.charts.push_back(read(timeline, chart, activity, range, pixels, stop));
          return answer;
        });
      },
      [this](const Answer& answer) {
        // The scale ends at the most threads that are busy at once: a hundred sleeping threads would flatten the line.
        for (std::size_t c = 0; c < std::min(m_charts.size(), answer.charts.size()); ++c) {
          if (m_charts[c].kind != Kind::BusyThreads) continue;
          m_charts[c].high = 1;
          for (const auto& point : answer.charts[c].points.front())
            m_charts[c].high = std::max(m_charts[c].high, std::ceil(point.max));
        }
        update();
      },
      [this](const reports::Error&) { m_asked = {}; });
}

// Times of a shifted process are shifted, too.
CounterLanes::Drawn CounterLanes::read(analyser::host::HostTimeline& timeline, const Chart& chart,
                                       const analyser::host::ActivityColumns& activity, reports::TickRange range, int pixels,
                                       const std::stop_token& stop) {
  Drawn drawn;
  if (chart.kind == Kind::BusyThreads || chart.kind == Kind::Device) {
    const auto& values = chart.kind == Kind::Device ? activity.device : activity.busyThreads;
    const double unit = chart.kind == Kind::Device ? 100 : 1,
                 pixel = double(range.size()) / double(std::max<std::size_t>(1, values.size()));
    drawn.points.emplace_back();
    for (std::size_t x = 0; x < values.size(); ++x) {
      const double value = double(values[x]) * unit;
      drawn.points.back().push_back(
          {{range.begin + int64_t(double(x) * pixel), range.begin + int64_t(double(x + 1) * pixel)}, value, value, value});
    }
    return drawn;
  }
  const int64_t shift = timeline.offset(chart.shown.process).value();
  const reports::TickRange own{range.begin - shift, range.end - shift};
  auto& session = timeline.slices().session();
  if (chart.kind == Kind::Heatmap) {
    drawn.columns = analyser::host::heatmapColumns(session, chart.heatmap, own, pixels, stop);
    for (auto& column : drawn.columns) column.ticks = {column.ticks.begin + shift, column.ticks.end + shift};
    return drawn;
  }
  for (const auto& series : chart.shown.series) {
    drawn.points.push_back(analyser::host::counterPoints(session, series.id, own, pixels, stop));
    for (auto& point : drawn.points.back()) point.ticks = {point.ticks.begin + shift, point.ticks.end + shift};
  }
  return drawn;
}

// A histogram is drawn until the next one. Colours show a bin's share of its histogram, from one in ten thousand to all.
void CounterLanes::paintHeatmap(QPainter& painter, const QRect& area, const Chart& chart,
                                const std::vector<analyser::host::HeatmapColumn>& columns) const {
  const plot::TimeScale s = scale();
  const int bins = chart.heatmap.bins();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double left = area.left() + std::clamp(s.xOf(columns[i].ticks.begin), -1.0, area.width() + 1.0);
    const int64_t until = i + 1 < columns.size() ? columns[i + 1].ticks.begin : columns[i].ticks.end;
    const double right = std::max(left + 2, area.left() + std::clamp(s.xOf(until), -1.0, area.width() + 1.0));
    const auto total = double(columns[i].total());
    for (int bin = 0; bin < bins && total > 0; ++bin) {
      const auto count = double(columns[i].counts[std::size_t(bin)]);
      if (count <= 0) continue;
      const double top = area.bottom() - double(area.height() - 1) * (bin + 1) / bins,
                   bottom = area.bottom() - double(area.height() - 1) * bin / bins;
      painter.fillRect(QRectF(left, top, right - left, bottom - top),
                       theme().quantity(std::clamp(1 + std::log10(count / total) / kHeatDecades, 0.0, 1.0)));
    }
  }
}

std::vector<plot::CardRow> CounterLanes::binsAt(const Chart& chart, const std::vector<analyser::host::HeatmapColumn>& columns,
                                                int64_t tick, double height) const {
  std::vector<plot::CardRow> rows;
  const auto after = std::partition_point(columns.begin(), columns.end(), [&](const auto& c) { return c.ticks.begin <= tick; });
  if (after == columns.begin()) return rows;
  const auto& column = *(after - 1);
  const int bin = std::clamp(int(height * chart.heatmap.bins()), 0, chart.heatmap.bins() - 1);
  const auto& edges = chart.heatmap.edges;
  const int64_t total = column.total(), count = column.counts[std::size_t(bin)];
  rows.push_back({tr("bin"),
                  tr("%1 to %2").arg(valueText(chart, edges[std::size_t(bin)]), valueText(chart, edges[std::size_t(bin) + 1])),
                  {}});
  rows.push_back({tr("values"),
                  tr("%1 of %2, %3")
                      .arg(theme::count(count), theme::count(total), theme::percent(total ? double(count) / double(total) : 0)),
                  count > 0 && total > 0
                      ? theme().quantity(std::clamp(1 + std::log10(double(count) / double(total)) / kHeatDecades, 0.0, 1.0))
                      : QColor()});
  return rows;
}

void CounterLanes::paintSeries(QPainter& painter, const QRect& area, const Chart& chart, std::size_t series,
                               const std::vector<analyser::host::CounterPoint>& points) const {
  if (points.empty()) return;
  const plot::TimeScale s = scale();
  const auto yOf = [&](double value) {
    return area.bottom() - (value - chart.low) / (chart.high - chart.low) * (area.height() - 1);
  };
  const auto xOf = [&](int64_t tick) { return area.left() + std::clamp(s.xOf(tick), -1.0, area.width() + 1.0); };
  // Steps are horizontal or vertical: lines one pixel wide without antialiasing are hundreds of times as fast as stroking a path.
  std::vector<QLine> lines;
  std::vector<QRect> columns;
  const int zero = int(std::lround(yOf(std::clamp(0.0, chart.low, chart.high))));
  const auto pixel = [&](double value) { return int(std::lround(yOf(value))); };
  int lastX = int(std::lround(xOf(points.front().ticks.begin))), lastY = pixel(points.front().min);
  const auto holdUntil = [&](int x) {
    if (x > lastX) {
      lines.emplace_back(lastX, lastY, x, lastY);
      columns.emplace_back(QPoint(lastX, std::min(lastY, zero)), QPoint(x - 1, std::max(lastY, zero)));
    }
    lastX = x;
  };
  for (const auto& point : points) {
    const int x = int(std::lround(xOf(point.ticks.begin)));
    holdUntil(x); // the previous value holds until here
    const int low = pixel(point.min), high = pixel(point.max), next = pixel(point.last);
    lines.emplace_back(x, std::max({low, high, lastY, next}), x, std::min({low, high, lastY, next}));
    lastY = next;
  }
  holdUntil(area.right() + 1);
  const QColor colour = theme::seriesColour(int(series), theme().isDark());
  if (m_filled && chart.shown.series.size() == 1) {
    QColor fill = colour;
    fill.setAlpha(70);
    for (const QRect& column : columns) painter.fillRect(column, fill);
  }
  painter.setPen(theme().isDark() ? theme::mix(colour, Qt::white, 0.35) : colour); // one pixel: brighter than an area
  painter.drawLines(lines.data(), int(lines.size()));
}

void CounterLanes::paintBody(QPainter& painter, const QRect& body) {
  painter.save();
  painter.setClipRect(body);
  painter.fillRect(body, theme().tokens().surface);
  const auto answer = m_job.result();
  for (std::size_t c = 0; c < m_charts.size(); ++c) {
    const QRect area = chartRect(c);
    if (area.bottom() < body.top() || area.top() > body.bottom()) continue;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(theme().tokens().grid);
    painter.drawLine(area.topLeft(), area.topRight());
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    if (!answer || c >= answer->charts.size()) continue;
    const Drawn& drawn = answer->charts[c];
    if (m_charts[c].kind == Kind::Heatmap) {
      paintHeatmap(painter, area, m_charts[c], drawn.columns);
      continue;
    }
    for (std::size_t i = 0; i < drawn.points.size(); ++i) paintSeries(painter, area, m_charts[c], i, drawn.points[i]);
  }
  painter.restore();
}

QString CounterLanes::valueText(const Chart& chart, double value) const {
  if (chart.shown.unit == "byte") return tickFormat().format.bytes(reports::Bytes(int64_t(value)));
  return theme::si(value, chart.shown.unit);
}

void CounterLanes::paintGutter(QPainter& painter, const QRect& area) {
  const theme::Tokens& t = theme().tokens();
  painter.setFont(theme().small());
  const QFontMetrics metrics = painter.fontMetrics();
  for (std::size_t c = 0; c < m_charts.size(); ++c) {
    const QRect line(12, area.top() + topOf(c) - scrolled(), area.width() - 20, heightOf(c));
    if (line.bottom() < area.top() || line.top() > area.bottom()) continue;
    const QString high = valueText(m_charts[c], m_charts[c].high), low = valueText(m_charts[c], m_charts[c].low);
    painter.setPen(t.secondary);
    painter.drawText(line, Qt::AlignRight | Qt::AlignTop, high);
    painter.drawText(line, Qt::AlignRight | Qt::AlignBottom, low);
    painter.setPen(t.text);
    const int width = line.width() - std::max(metrics.horizontalAdvance(high), metrics.horizontalAdvance(low)) - 8;
    painter.drawText(QRect(line.left(), line.top(), width, line.height()), Qt::AlignLeft | Qt::AlignTop,
                     metrics.elidedText(m_charts[c].title, Qt::ElideMiddle, width));
  }
}

std::vector<plot::CardRow> CounterLanes::valuesAt(std::size_t chart, int64_t tick) const {
  std::vector<plot::CardRow> rows;
  const auto answer = m_job.result();
  if (!answer || chart >= answer->charts.size()) return rows;
  const Chart& c = m_charts[chart];
  for (std::size_t i = 0; i < answer->charts[chart].points.size(); ++i) {
    const auto& points = answer->charts[chart].points[i];
    const auto after = std::partition_point(points.begin(), points.end(), [&](const auto& p) { return p.ticks.begin <= tick; });
    if (after == points.begin()) continue;
    const auto& point = *(after - 1);
    const QString name = reportText(c.shown.series[i].name);
    const bool ranged = point.min != point.max && point.ticks.contains(tick);
    rows.push_back({name.isEmpty() ? tr("value") : name,
                    ranged ? tr("%1 to %2").arg(valueText(c, point.min), valueText(c, point.max)) : valueText(c, point.last),
                    theme::seriesColour(int(i), theme().isDark())});
  }
  return rows;
}

void CounterLanes::hovered(const QPoint& at) {
  const int chart = body().contains(at) || at.x() < body().left() ? chartAt(at.y() - body().top() + scrolled()) : -1;
  plot::Card card;
  if (chart >= 0) {
    card.title = m_charts[std::size_t(chart)].title;
    const int64_t tick = scale().tickAt(at.x() - body().left());
    const Chart& c = m_charts[std::size_t(chart)];
    const auto answer = m_job.result();
    if (c.kind != Kind::Heatmap)
      card.rows = valuesAt(std::size_t(chart), tick);
    else if (answer && std::size_t(chart) < answer->charts.size() && body().contains(at))
      card.rows =
          binsAt(c, answer->charts[std::size_t(chart)].columns, tick,
                 1 - double(at.y() - body().top() + scrolled() - topOf(std::size_t(chart))) / heightOf(std::size_t(chart)));
    if (c.kind == Kind::Device) card.hint = tr("Mean over the IPUs and over the time of a pixel");
    if (c.kind == Kind::BusyThreads) card.hint = tr("Threads with an open slice, mean over the time of a pixel");
  }
  if (edgeAt(at) >= 0)
    setCursor(Qt::SplitVCursor);
  else
    unsetCursor();
  hoverCard().showAt(card, at);
}

} // namespace ui::host
