#include "ui/views/compare/pair_plot.h"

#include "ui/parts/view_fields.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/theme.h"

#include <QVBoxLayout>

#include <algorithm>

namespace ui::compare {

namespace {

constexpr double kLimitInView = 0.2; // distance of a curve to the limit, as a share, below which the plot includes the limit

plot::Values valuesOf(const std::vector<reports::Bytes>& bytes) {
  auto values = std::make_shared<std::vector<int64_t>>();
  values->reserve(bytes.size());
  for (const auto b : bytes) values->push_back(b.value());
  return values;
}

reports::Bytes largest(const std::vector<reports::Bytes>& bytes) {
  return bytes.empty() ? reports::Bytes(0) : *std::max_element(bytes.begin(), bytes.end());
}

} // namespace

PairPlot::PairPlot(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_legend(new plot::Legend(theme)), m_plot(new plot::StepPlot(theme, name)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kHalf);
  column->addWidget(m_legend);
  column->addWidget(m_plot, 1);
  m_plot->setCard([this](int64_t position) { return card(position); });
  m_plot->setDifferenceTold(true);
  connect(m_plot, &plot::StepPlot::positionClicked, this, &PairPlot::positionClicked);
  connect(m_plot, &plot::StepPlot::positionActivated, this, &PairPlot::positionActivated);
  connect(m_legend, &plot::Legend::shownChanged, this, [this] { m_plot->setCurvesShown(m_legend->shown()); });
}

PairPlot::Scene PairPlot::ofMemory(const analyser::memory::TileMemory& base, const analyser::memory::TileMemory& other,
                                   const theme::Format& format) {
  return {base.total.values,
          other.total.values,
          tr("Tile"),
          tr("Memory, without gaps"),
          std::max(base.capacity, other.capacity),
          format,
          tr("Click selects, double-click shows its variables in Memory")};
}

PairPlot::Scene PairPlot::ofLiveness(const analyser::liveness::Liveness& base, const analyser::liveness::Liveness& other,
                                     const theme::Format& format) {
  return {base.curve.notAlwaysLive,
          other.curve.notAlwaysLive,
          tr("Liveness step"),
          tr("Memory not always live"),
          {},
          format,
          tr("Double-click shows the step in Liveness")};
}

void PairPlot::addFields(shell::ViewFields& fields, const QString& id) { fields.hidden(id, *m_legend); }

void PairPlot::show(Scene scene) {
  m_scene = std::move(scene);
  const auto most = std::max(largest(m_scene.base), largest(m_scene.other));
  const auto colourOf = [this](bool ofBase) { return [this, ofBase] { return m_theme.series(ofBase ? 0 : 1); }; };
  const auto entry = [&](bool ofBase) {
    return plot::LegendEntry{ofBase ? tr("A") : tr("B"),
                             tr("maximum %1").arg(m_scene.format.bytes(largest(ofBase ? m_scene.base : m_scene.other))),
                             colourOf(ofBase),
                             plot::Mark::Line,
                             false,
                             ofBase ? "a" : "b"};
  };
  m_legend->setEntries({entry(true), entry(false)});
  m_plot->setCurves({{tr("A"), colourOf(true), valuesOf(m_scene.base), false, true},
                     {tr("B"), colourOf(false), valuesOf(m_scene.other), false, false}});
  m_plot->setCurvesShown(m_legend->shown());
  m_plot->setFormat(m_scene.format);
  m_plot->setAxes(m_scene.position, int64_t(std::max(m_scene.base.size(), m_scene.other.size())), m_scene.value,
                  plot::ValueKind::Bytes);
  const bool limitInView = m_scene.limit.value() > 0 && ratio(most, m_scene.limit) > kLimitInView;
  m_plot->setLimit(m_scene.limit.value(), tr("tile memory %1").arg(m_scene.format.bytes(m_scene.limit)), limitInView);
}

QString PairPlot::words(int64_t position) const {
  const auto at = std::size_t(std::max<int64_t>(0, position));
  const theme::Format& f = m_scene.format;
  QStringList parts;
  if (at < m_scene.base.size()) parts << tr("A %1").arg(f.bytes(m_scene.base[at]));
  if (at < m_scene.other.size()) parts << tr("B %1").arg(f.bytes(m_scene.other[at]));
  if (parts.size() == 2) parts << f.bytesDelta(m_scene.other[at] - m_scene.base[at]);
  return parts.isEmpty() ? QString()
                         : QStringLiteral("%1 %2: %3").arg(m_scene.position, theme::count(position), parts.join(tr(", ")));
}

void PairPlot::setSelected(std::vector<reports::Range<int64_t>> positions) { m_plot->setSelection(std::move(positions)); }

plot::Card PairPlot::card(int64_t position) const {
  plot::Card card;
  const auto at = std::size_t(std::max<int64_t>(0, position));
  card.title = QStringLiteral("%1 %2").arg(m_scene.position, theme::count(position));
  const auto text = [&](const std::vector<reports::Bytes>& values) {
    return at < values.size() ? m_scene.format.bytesExact(values[at]) : tr("not there");
  };
  card.rows.push_back({tr("A"), text(m_scene.base), m_theme.series(0)});
  card.rows.push_back({tr("B"), text(m_scene.other), m_theme.series(1)});
  if (at < m_scene.base.size() && at < m_scene.other.size())
    card.rows.push_back({tr("B − A"), m_scene.format.bytesDelta(m_scene.other[at] - m_scene.base[at]), {}});
  card.hint = m_scene.hint;
  return card;
}

} // namespace ui::compare
