#include "ui/views/sweep/sweep_plot.h"

#include "analyser/sweep/importance.h"
#include "ui/parts/view_fields.h"
#include "ui/parts/wheel_guard.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/legend.h"
#include "ui/plot/plot_table.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/sweep/scatter.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::sweep {

using analyser::sweep::Point;
using analyser::sweep::State;
using theme::reportText;

namespace {
constexpr int kSide = 232; // pixels
constexpr std::size_t kMostColours = 12;

// Fills the box and keeps the chosen id. An id that is not in `items` keeps an entry, because a running sweep gets its parameters
// later.
void refill(QComboBox& box, const std::vector<std::pair<QString, QString>>& items, const QString& first) {
  const QSignalBlocker blocker(box);
  const QString chosen = box.count() > 0 ? box.currentData().toString() : first;
  box.clear();
  for (const auto& [id, title] : items) box.addItem(title, id);
  if (!chosen.isEmpty() && box.findData(chosen) < 0) box.addItem(chosen, chosen);
  box.setCurrentIndex(std::max(0, box.findData(chosen)));
}
} // namespace

SweepPlot::SweepPlot(const theme::Theme& theme, shell::ViewFields& fields, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* row = new QHBoxLayout;
  row->setSpacing(theme::kGrid);
  m_x = addBox(*row, tr("Across"), tr("The figure of the horizontal axis"));
  m_y = addBox(*row, tr("Up"), tr("The figure of the vertical axis"));
  m_colour = addBox(*row, tr("Colour"), tr("The parameter whose values give each point a colour and a label"));
  row->addStretch(1);
  column->addLayout(row);
  fillBoxes();
  for (const auto& [id, box] : {std::pair("across", m_x), {"up", m_y}, {"colour", m_colour}})
    fields.items(QString::fromLatin1(id), *box, [box = box](const QString& item) {
      if (box->findData(item) < 0) box->addItem(item, item);
    });
  column->addWidget(m_legend = new plot::Legend(theme));
  m_legend->setVisible(false);
  connect(m_legend, &plot::Legend::shownChanged, this, &SweepPlot::placePoints);
  auto* body = new QHBoxLayout;
  body->setSpacing(theme::kMargin);
  body->addWidget(m_scatter = new Scatter(theme, tr("Runs by two figures")), 1);
  m_scatter->setProperty(plot::kTwin, tr("Runs of the sweep"));
  m_side = new QWidget;
  m_side->setFixedWidth(kSide);
  auto* side = new QVBoxLayout(m_side);
  side->setContentsMargins(0, 0, 0, 0);
  side->addWidget(m_importanceTitle = theme::plainLabel());
  m_importanceTitle->setProperty("role", "strong");
  m_importanceTitle->setWordWrap(true);
  m_importanceTitle->setToolTip(
      theme::tipText(tr("Main effect of a parameter: variance between the means of its values / variance of all runs that fit")));
  side->addWidget(m_importance = new plot::BarList(theme, tr("Importance of the parameters")));
  side->addStretch(1);
  m_side->hide();
  body->addWidget(m_side);
  column->addLayout(body, 1);
  showPoints();
}

QComboBox* SweepPlot::addBox(QHBoxLayout& row, const QString& title, const QString& tip) {
  auto* label = theme::plainLabel(title);
  auto* box = new QComboBox;
  shell::leaveWheelToPage(*box);
  label->setBuddy(box);
  box->setAccessibleName(title);
  box->setToolTip(theme::tipText(tip));
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  box->setMaximumWidth(170);
  row.addWidget(label);
  row.addWidget(box);
  connect(box, &QComboBox::currentIndexChanged, this, &SweepPlot::showPoints);
  return box;
}

void SweepPlot::show(std::shared_ptr<const analyser::sweep::SweepTable> sweep, const theme::Format& format) {
  m_sweep = std::move(sweep), m_format = format;
  fillBoxes();
  showPoints();
}

void SweepPlot::fillBoxes() {
  std::vector<std::pair<QString, QString>> figures, parameters{{QString(), tr("none")}};
  for (const Axis& axis : axesOf(m_sweep ? *m_sweep : analyser::sweep::SweepTable())) figures.emplace_back(axis.id, axis.title);
  if (m_sweep)
    for (const std::string& name : m_sweep->parameters) parameters.emplace_back(reportText(name), parameterTitle(name));
  refill(*m_x, figures, QString::fromLatin1(kEffort));
  refill(*m_y, figures, QString::fromLatin1(kFullest));
  refill(*m_colour, parameters, {});
}

SweepPlot::Colours SweepPlot::colours() const {
  Colours c;
  const QString chosen = m_colour->currentData().toString();
  if (!m_sweep || chosen.isEmpty()) return c;
  for (const std::string& name : m_sweep->parameters)
    if (reportText(name) == chosen) c.parameter = name;
  if (c.parameter.empty()) return c;
  for (const Point& p : m_sweep->points)
    if (const QString value = valueOf(p, c.parameter); std::find(c.values.begin(), c.values.end(), value) == c.values.end())
      c.values.push_back(value);
  c.areNumbers = std::all_of(c.values.begin(), c.values.end(), [](const QString& value) {
    bool isNumber = false;
    value.toDouble(&isNumber);
    return isNumber;
  });
  if (c.areNumbers)
    std::sort(c.values.begin(), c.values.end(), [](const QString& a, const QString& b) { return a.toDouble() < b.toDouble(); });
  return c;
}

// Numbers have colours from low to high, words the colours of series.
QColor SweepPlot::colourOf(const Colours& c, int value) const {
  if (!c.areNumbers) return m_theme.series(value);
  const double last = std::max<double>(1, double(c.values.size()) - 1);
  return theme::withContrast(m_theme.quantity(double(value) / last), m_theme.tokens().surface, 3);
}

void SweepPlot::showLegend(const Colours& c) {
  std::vector<plot::LegendEntry> entries;
  for (std::size_t i = 0; i < std::min(kMostColours, c.values.size()); ++i)
    entries.push_back({.title = QStringLiteral("%1 %2").arg(parameterTitle(c.parameter), c.values[i]),
                       .colour = [this, c, i] { return colourOf(c, int(i)); }});
  m_legend->setVisible(!entries.empty());
  m_legend->setEntries(std::move(entries));
}

void SweepPlot::showPoints() {
  showLegend(colours());
  placePoints();
}

void SweepPlot::placePoints() {
  const analyser::sweep::SweepTable none;
  const analyser::sweep::SweepTable& sweep = m_sweep ? *m_sweep : none;
  const std::vector<Axis> axes = axesOf(sweep);
  const auto axisOf = [&](const QComboBox& box) -> const Axis& {
    const QString id = box.currentData().toString();
    const auto at = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.id == id; });
    return at == axes.end() ? axes.front() : *at;
  };
  const Axis &x = axisOf(*m_x), &y = axisOf(*m_y);
  const Colours c = colours();
  const std::vector<bool> shown = m_legend->shown();
  const bool hasFront = x.id == QLatin1String(kEffort) && y.id == QLatin1String(kFullest);
  std::vector<ScatterPoint> points;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const Point& p = sweep.points[i];
    const auto across = x.value(p), up = y.value(p);
    if (!p.record || !across || !up || p.record->state == State::Failed) continue;
    ScatterPoint point;
    point.id = int64_t(i), point.x = *across, point.y = *up;
    point.isOptimal = p.isOptimal && hasFront, point.fits = p.record->state == State::Done;
    if (!c.parameter.empty()) {
      point.label = valueOf(p, c.parameter);
      const auto value = std::size_t(std::find(c.values.begin(), c.values.end(), point.label) - c.values.begin());
      if (value < shown.size() && !shown[value]) continue;
      point.colour = [this, c, value] { return colourOf(c, int(value)); };
    }
    point.card.title = valuesText(p);
    for (const Axis& axis : axes)
      if (axis.id == x.id || axis.id == y.id || axis.id == QLatin1String(kEffort) || axis.id == QLatin1String(kFullest))
        if (const auto value = axis.value(p); value && axis.unit != Axis::Unit::Number)
          point.card.rows.push_back({axis.title, axisText(axis, *value, m_format), {}});
    point.card.rows.push_back({tr("Outcome"), stateText(p), {}});
    point.card.hint = tr("Double-click opens; Ctrl and click selects a second to compare");
    points.push_back(std::move(point));
  }
  const auto scatterAxis = [&](const Axis& axis) {
    constexpr double kKibi = 1024; // ticks are whole KiB
    return ScatterAxis{axis.title, [axis, format = m_format](double value) { return axisText(axis, value, format); },
                       axis.unit == Axis::Unit::Bytes ? kKibi : 1};
  };
  m_scatter->setAxes(scatterAxis(x), scatterAxis(y));
  m_scatter->setPoints(std::move(points));
  showImportance(x);
}

void SweepPlot::showImportance(const Axis& x) {
  std::vector<plot::Bar> bars;
  if (!m_sweep) return;
  for (const auto& i : analyser::sweep::importanceOf(*m_sweep, x.value)) {
    plot::Bar bar{parameterTitle(i.parameter), theme::percent(i.share)};
    QStringList means;
    for (const auto& [value, mean] : i.means)
      means << QStringLiteral("%1: %2").arg(reportText(value), axisText(x, mean, m_format));
    bar.tip = tr("Mean of each value: %1").arg(means.join(QStringLiteral(", ")));
    bar.segments = {{i.share, [this] { return m_theme.tokens().accent; }}};
    bars.push_back(std::move(bar));
  }
  m_side->setVisible(!bars.empty());
  m_importanceTitle->setText(tr("Influence on “%1”").arg(x.title));
  m_importance->setBars(std::move(bars), 1);
}

} // namespace ui::sweep
