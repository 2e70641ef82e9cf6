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
constexpr int kGutter = 84;          // pixels before the axis, so that the axes of two plots are aligned

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
    : QWidget(parent), m_theme(theme), m_legend(new plot::Legend(theme)), m_both(new plot::StepPlot(theme, name)),
      m_a(new plot::StepPlot(theme, tr("%1, A").arg(name))), m_b(new plot::StepPlot(theme, tr("%1, B").arg(name))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kHalf);
  column->addWidget(m_legend);
  for (plot::StepPlot* plot : {m_both, m_a, m_b}) {
    column->addWidget(plot, 1);
    connect(plot, &plot::StepPlot::positionClicked, this, [this, plot](int64_t position, Qt::KeyboardModifiers modifiers) {
      emit positionClicked(position, plot != m_b, plot != m_a, modifiers);
    });
    connect(plot, &plot::StepPlot::rangeDragged, this, [this](int64_t first, int64_t last) { emit rangeDragged(first, last); });
    plot->setSelectionColour([this] { return m_theme.tokens().text; }); // the accent colour is the blue of A
    plot->setCard([this](int64_t position) { return card(position); });
  }
  m_both->setDifferenceTold(true);
  for (plot::StepPlot* plot : {m_a, m_b}) plot->setGutter(kGutter), plot->QWidget::setVisible(false);
  // Both plots show the same positions.
  connect(m_a, &plot::StepPlot::visibleChanged, this, [this](reports::Range<int64_t> range) { m_b->setVisible(range); });
  connect(m_b, &plot::StepPlot::visibleChanged, this, [this](reports::Range<int64_t> range) { m_a->setVisible(range); });
  connect(m_legend, &plot::Legend::shownChanged, this, [this] { m_both->setCurvesShown(m_legend->shown()); });
}

PairPlot::Scene PairPlot::ofMemory(const analyser::memory::TileMemory& base, const analyser::memory::TileMemory& other,
                                   const theme::Format& format) {
  return {base.total.values,
          other.total.values,
          tr("Tile"),
          tr("Memory, without gaps"),
          std::max(base.capacity, other.capacity),
          {},
          format};
}

PairPlot::Scene PairPlot::ofLiveness(const analyser::liveness::Liveness& base, const analyser::liveness::Liveness& other,
                                     const theme::Format& format) {
  return {base.curve.notAlwaysLive, other.curve.notAlwaysLive, tr("Liveness step"), tr("Memory not always live"), {}, {}, format};
}

void PairPlot::setMerged(bool merged) {
  m_merged = merged;
  m_both->QWidget::setVisible(merged);
  m_a->QWidget::setVisible(!merged);
  m_b->QWidget::setVisible(!merged);
}

void PairPlot::addFields(shell::ViewFields& fields, const QString& id) { fields.hidden(id, *m_legend); }

void PairPlot::show(Scene scene) {
  m_scene = std::move(scene);
  fill();
}

void PairPlot::fill() {
  const auto most = std::max(largest(m_scene.base), largest(m_scene.other));
  const auto colourOf = [this](bool ofBase) { return [this, ofBase] { return m_theme.series(ofBase ? 0 : 1); }; };
  const auto entry = [&](bool ofBase) {
    return plot::LegendEntry{ofBase ? tr("A") : tr("B"),
                             tr("most %1").arg(m_scene.format.bytes(largest(ofBase ? m_scene.base : m_scene.other))),
                             colourOf(ofBase),
                             plot::Mark::Line,
                             false,
                             ofBase ? "a" : "b"};
  };
  m_legend->setEntries({entry(true), entry(false)});
  const plot::Curve a{tr("A"), colourOf(true), valuesOf(m_scene.base), false, true};
  plot::Curve b{tr("B"), colourOf(false), valuesOf(m_scene.other), false, false};
  m_both->setCurves({a, b});
  m_both->setCurvesShown(m_legend->shown());
  m_a->setCurves({a});
  b.filled = true;
  m_b->setCurves({b});
  const auto positions = int64_t(std::max(m_scene.base.size(), m_scene.other.size()));
  const bool limitInView = m_scene.limit.value() > 0 && ratio(most, m_scene.limit) > kLimitInView;
  for (plot::StepPlot* plot : {m_both, m_a, m_b}) {
    plot->setFormat(m_scene.format);
    plot->setAxes(m_scene.position, positions, m_scene.value, plot::ValueKind::Bytes);
    plot->setMarks(m_scene.marks);
    plot->setLimit(m_scene.limit.value(), tr("tile memory %1").arg(m_scene.format.bytes(m_scene.limit)), limitInView);
  }
}

void PairPlot::setSelected(std::vector<reports::Range<int64_t>> inBase, std::vector<reports::Range<int64_t>> inOther) {
  m_a->setSelection(inBase);
  m_b->setSelection(inOther);
  std::vector<reports::Range<int64_t>> all = std::move(inBase);
  for (const auto& range : inOther)
    if (std::find(all.begin(), all.end(), range) == all.end()) all.push_back(range);
  m_both->setSelection(std::move(all));
}

plot::Card PairPlot::card(int64_t position) const {
  plot::Card card;
  const auto at = std::size_t(std::max<int64_t>(0, position));
  card.title = QStringLiteral("%1 %2").arg(m_scene.position, theme::count(position));
  const auto text = [&](const std::vector<reports::Bytes>& values, bool ofBase) {
    if (at >= values.size()) return tr("not there");
    const QString name = m_scene.name ? m_scene.name(ofBase, position) : QString();
    const QString bytes = m_scene.format.bytesExact(values[at]);
    return name.isEmpty() ? bytes : QStringLiteral("%1 · %2").arg(bytes, name);
  };
  card.rows.push_back({tr("A"), text(m_scene.base, true), m_theme.series(0)});
  card.rows.push_back({tr("B"), text(m_scene.other, false), m_theme.series(1)});
  if (at < m_scene.base.size() && at < m_scene.other.size())
    card.rows.push_back({tr("B − A"), m_scene.format.bytesDelta(m_scene.other[at] - m_scene.base[at]), {}});
  return card;
}

} // namespace ui::compare
