#include "ui/views/operations/box_measure.h"

#include <algorithm>
#include <cmath>

namespace ui::operations {

using analyser::operations::Operation;

namespace {
constexpr double kRange = 1000; // range of the colours: a box below 1/kRange of the largest has the colour of zero
} // namespace

void BoxMeasure::scaleTo(const FoldedGraph& graph) {
  m_most = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) m_most = std::max(m_most, of(graph.rowOf(int(n)).totals));
}

double BoxMeasure::of(const Operation& o) const {
  switch (m_measure) {
  case GraphMeasure::Cycles: return double(o.total.value());
  case GraphMeasure::Waste: return double(o.tileCycles.wasted());
  case GraphMeasure::Memory: return double(o.memory().value());
  }
  return 0;
}

// In a large model one box is thousands of times another; on a linear scale most would have one colour.
double BoxMeasure::shade(const Operation& o) const {
  const double measure = of(o);
  return measure > 0 && m_most > 0 ? std::max(0.0, 1 + std::log10(measure / m_most) / std::log10(kRange)) : 0;
}

QString BoxMeasure::text(double measure) const {
  switch (m_measure) {
  case GraphMeasure::Cycles: return m_format.cycles(reports::Cycles(std::llround(measure)));
  case GraphMeasure::Waste: return tr("%1 tile-cycles wasted").arg(theme::countShort(measure));
  case GraphMeasure::Memory: return m_format.bytes(reports::Bytes(std::llround(measure)));
  }
  return {};
}

QString BoxMeasure::caption() const {
  switch (m_measure) {
  case GraphMeasure::Cycles: return m_format.showsSeconds() ? tr("Time of a box") : tr("Cycles of a box");
  case GraphMeasure::Waste: return tr("Waste of a box");
  case GraphMeasure::Memory: return tr("Memory of a box");
  }
  return {};
}

QString BoxMeasure::leastText() const { return m_most > 0 ? tr("%1 or less").arg(text(m_most / kRange)) : QStringLiteral("0"); }

} // namespace ui::operations
