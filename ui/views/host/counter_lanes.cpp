#include "ui/views/host/counter_lanes.h"

#include "analyser/session/format.h"
#include "ui/shell/report_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace ui::host {

using shell::reportText;

namespace {
constexpr int kChartHeight = 56, kChartGap = 10, kMostShownCharts = 4;
constexpr int kAxisAbove = 26;
} // namespace

CounterLanes::CounterLanes(const theme::Theme& theme, jobs::JobBoard* board, QWidget* parent)
    : TimeView(theme, tr("Counters"), parent), m_job(tr("Reading counters"), board, this) {
  setMinimapShown(false);
  connect(&m_job, &jobs::JobBase::busyChanged, this, &TimeView::busyChanged);
}

CounterLanes::~CounterLanes() = default;

void CounterLanes::setHost(std::shared_ptr<OpenHost> host) {
  m_job.cancel(), m_job.forget();
  m_host = std::move(host);
  m_charts.clear();
  m_asked = {};
  if (m_host) {
    for (const auto& chart : m_host->charts()) {
      Chart c{chart, reportText(chart.name), 0, 0};
      bool first = true;
      for (const auto& series : chart.series) {
        c.low = first ? series.min : std::min(c.low, series.min);
        c.high = first ? series.max : std::max(c.high, series.max);
        first = false;
      }
      c.low = std::min(c.low, 0.0); // a fair reading starts at 0
      if (!(c.high > c.low)) c.high = c.low + 1;
      m_charts.push_back(std::move(c));
    }
    setExtent(m_host->range());
  }
  relayout();
  visibleWasChanged();
  update();
}

void CounterLanes::setFilled(bool filled) {
  m_filled = filled;
  update();
}

int CounterLanes::topOf(std::size_t chart) const { return kChartGap / 2 + int(chart) * (kChartHeight + kChartGap); }
int CounterLanes::contentHeight() const { return topOf(m_charts.size()); }
int CounterLanes::preferredHeight() const {
  return kAxisAbove + topOf(std::min<std::size_t>(m_charts.size(), kMostShownCharts)) + kChartGap;
}
int CounterLanes::chartAt(int y) const {
  const int chart = (y - kChartGap / 2) / (kChartHeight + kChartGap);
  return y >= 0 && chart >= 0 && chart < int(m_charts.size()) ? chart : -1;
}

void CounterLanes::visibleWasChanged() {
  if (!m_host || m_charts.empty() || !isVisible()) return;
  const int pixels = std::max(1, body().width());
  if (m_asked == visibleRange() && m_askedPixels == pixels) return;
  m_asked = visibleRange(), m_askedPixels = pixels;
  m_job.start(
      [host = m_host, range = m_asked, pixels](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          Answer answer{range, pixels, {}};
          for (const auto& chart : host->charts()) {
            answer.points.emplace_back();
            for (const auto& series : chart.series)
              answer.points.back().push_back(
                  analyser::host::counterPoints(timeline.slices().session(), series.id, range, pixels, stop));
          }
          return answer;
        });
      },
      [this](const Answer&) { update(); }, [this](const reports::Error&) { m_asked = {}; });
}

void CounterLanes::paintSeries(QPainter& painter, const QRect& area, const Chart& chart, std::size_t series,
                               const std::vector<analyser::host::CounterPoint>& points) const {
  if (points.empty()) return;
  const plot::TimeScale s = scale();
  const auto yOf = [&](double value) {
    return area.bottom() - (value - chart.low) / (chart.high - chart.low) * (area.height() - 1);
  };
  const auto xOf = [&](int64_t tick) { return area.left() + std::clamp(s.xOf(tick), -1.0, area.width() + 1.0); };
  QPainterPath line;
  double lastX = xOf(points.front().ticks.begin), lastY = yOf(points.front().last);
  line.moveTo(lastX, yOf(points.front().min));
  for (const auto& point : points) {
    const double x = xOf(point.ticks.begin);
    line.lineTo(x, lastY); // the value before holds until here
    line.lineTo(x, yOf(point.min));
    line.lineTo(x, yOf(point.max));
    lastY = yOf(point.last);
    line.lineTo(x, lastY);
  }
  lastX = area.right() + 1;
  line.lineTo(lastX, lastY);
  const QColor colour = theme::seriesColour(int(series), theme().isDark());
  if (m_filled && chart.shown.series.size() == 1) {
    QPainterPath filled = line;
    const double zero = yOf(std::clamp(0.0, chart.low, chart.high));
    filled.lineTo(lastX, zero);
    filled.lineTo(xOf(points.front().ticks.begin), zero);
    QColor fill = colour;
    fill.setAlpha(70);
    painter.fillPath(filled, fill);
  }
  painter.setPen(QPen(colour, 1.3));
  painter.drawPath(line);
}

void CounterLanes::paintBody(QPainter& painter, const QRect& body) {
  painter.save();
  painter.setClipRect(body);
  painter.fillRect(body, theme().tokens().surface);
  const auto answer = m_job.result();
  for (std::size_t c = 0; c < m_charts.size(); ++c) {
    const QRect area(body.left(), body.top() + topOf(c) - scrolled(), body.width(), kChartHeight);
    if (area.bottom() < body.top() || area.top() > body.bottom()) continue;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(theme().tokens().grid);
    painter.drawLine(area.topLeft(), area.topRight());
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    if (!answer || c >= answer->points.size()) continue;
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < answer->points[c].size(); ++i) paintSeries(painter, area, m_charts[c], i, answer->points[c][i]);
  }
  painter.restore();
}

QString CounterLanes::valueText(const Chart& chart, double value) const {
  if (chart.shown.unit == "byte") return format().bytes(reports::Bytes(int64_t(value)));
  return QString::fromStdString(analyser::formatSi(value, chart.shown.unit)).trimmed();
}

void CounterLanes::paintGutter(QPainter& painter, const QRect& area) {
  const theme::Tokens& t = theme().tokens();
  painter.setFont(theme().small());
  const QFontMetrics metrics = painter.fontMetrics();
  for (std::size_t c = 0; c < m_charts.size(); ++c) {
    const QRect line(12, area.top() + topOf(c) - scrolled(), area.width() - 20, kChartHeight);
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
  if (!answer || chart >= answer->points.size()) return rows;
  const Chart& c = m_charts[chart];
  for (std::size_t i = 0; i < answer->points[chart].size(); ++i) {
    const auto& points = answer->points[chart][i];
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
  const int chart = body().contains(at) || at.x() < gutter() ? chartAt(at.y() - body().top() + scrolled()) : -1;
  plot::Card card;
  if (chart >= 0) {
    card.title = m_charts[std::size_t(chart)].title;
    card.rows = valuesAt(std::size_t(chart), scale().tickAt(at.x() - body().left()));
  }
  hoverCard().showAt(card, at);
}

} // namespace ui::host
