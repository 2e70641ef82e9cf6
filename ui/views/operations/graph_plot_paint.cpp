// The picture of the graph: arrows below, boxes over them, then the small map of all and the legend.
#include "ui/plot/colour_scale.h"
#include "ui/shell/report_text.h"
#include "ui/theme/elide.h"
#include "ui/theme/theme.h"
#include "ui/views/operations/graph_plot.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ui::operations {

using analyser::operations::GraphEdge;
using analyser::operations::LayoutPoint;
using analyser::operations::Operation;
using analyser::operations::TreeRow;
using shell::reportText;

namespace {

constexpr std::size_t kLabelled = 24; // arrows: more of them would hide the boxes behind their labels
constexpr int kLabelWidth = 160, kLegendBar = 120;

double arrowWidth(const GraphEdge& edge) {
  return std::clamp(1 + 0.3 * std::log2(1 + double(edge.bytes.value()) / 4096), 1.0, 5.0);
}

} // namespace

void GraphPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.tokens().surface);
  painter.setFont(m_theme.small());
  if (m_graph.nodes.empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  paintEdges(painter);
  for (std::size_t n = 0; n < m_graph.nodes.size(); ++n)
    if (boxOf(int(n)).intersects(rect())) paintNode(painter, int(n));
  paintMinimap(painter);
  paintLegend(painter);
}

void GraphPlot::paintEdges(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  const int selected = nodeOfRow(m_selectedRow), focus = m_hoveredNode >= 0 ? m_hoveredNode : selected;
  const QFontMetrics metrics(m_theme.small());
  for (const bool marked : {false, true}) { // marked ones lie over the others
    for (std::size_t e = 0; e < m_graph.edges.size(); ++e) {
      const GraphEdge& edge = m_graph.edges[e];
      const bool isMarked = int(e) == m_hoveredEdge || edge.from == focus || edge.to == focus;
      if (isMarked != marked) continue;
      if (!boundsOf(int(e)).intersects(rect())) continue;
      const QPainterPath path = pathOf(m_layout.edges[e]);
      QColor colour = marked ? t.accent : t.secondary;
      if (!marked) colour.setAlphaF(focus >= 0 ? 0.35f : 0.6f);
      const double wide = std::max(1.0, arrowWidth(edge) * std::min(1.0, m_scale));
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(colour, wide, edge.carried ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
      painter.drawPath(path);
      const auto& points = m_layout.edges[e];
      const QPointF tip = toWidget(points.back());
      const double reach = (points[points.size() - 2].x < points.back().x ? -1 : 1) * (4 + 2 * wide);
      painter.setPen(Qt::NoPen);
      painter.setBrush(colour);
      painter.drawPolygon(QPolygonF{tip, tip + QPointF(reach, -reach / 2), tip + QPointF(reach, reach / 2)});
      if (m_scale < kTextScale || (!marked && m_graph.edges.size() > kLabelled)) continue;
      const QString text = edgeText(edge);
      const QPointF middle = path.pointAtPercent(0.5);
      const QRectF label(middle.x() - metrics.horizontalAdvance(text) / 2.0 - 3, middle.y() - metrics.height() / 2.0,
                         metrics.horizontalAdvance(text) + 6, metrics.height());
      painter.setBrush(t.surface);
      painter.drawRoundedRect(label, 3, 3);
      painter.setPen(marked ? t.text : t.secondary);
      painter.drawText(label, Qt::AlignCenter, text);
    }
  }
}

// Of one variable type and shape, of several their number.
QString GraphPlot::edgeText(const GraphEdge& edge) const {
  const QString what = edge.variables.size() == 1
                           ? theme::elided(QFontMetrics(m_theme.small()),
                                           reportText(m_data->flow.variables.at(edge.variables.front()).type), kLabelWidth)
                           : theme::plural(int64_t(edge.variables.size()), tr("variable"), tr("variables"));
  return tr("%1 · %2").arg(what, m_format.bytes(edge.bytes));
}

void GraphPlot::paintLegend(QPainter& painter) const {
  const QString caption = m_measure == GraphMeasure::Cycles  ? tr("Cycles of a box")
                          : m_measure == GraphMeasure::Waste ? tr("Wasted tile-cycles of a box")
                                                             : tr("Memory of a box");
  Operation most;
  for (const auto& node : m_graph.nodes)
    if (const Operation& o = m_data->tree[std::size_t(node.row)].totals; measureOf(o) == m_most) most = o;
  painter.fillRect(QRectF(0, graphHeight(), width(), kLegendHeight), m_theme.tokens().surface);
  plot::paintColourScale(painter, m_theme, {theme::kMargin, int(graphHeight())}, kLegendBar,
                         {caption, QStringLiteral("0"), m_most > 0 ? measureText(most) : QString(), false});
}

void GraphPlot::paintNode(QPainter& painter, int node) const {
  const theme::Tokens& t = m_theme.tokens();
  const int row = m_graph.nodes[std::size_t(node)].row;
  const TreeRow& shown = m_data->tree[std::size_t(row)];
  const QRectF box = boxOf(node);
  const QColor fill = m_theme.quantity(m_most > 0 ? measureOf(shown.totals) / m_most : 0);
  const bool isSelected = node == nodeOfRow(m_selectedRow);
  const double round = theme::kRadius * m_scale;
  painter.setPen(QPen(isSelected ? t.accent : node == m_hoveredNode ? t.text : t.line, isSelected ? 3 : 1));
  painter.setBrush(fill);
  if (isFolder(row)) // a second sheet behind: there is more inside
    painter.drawRoundedRect(box.translated(4 * m_scale, 4 * m_scale), round, round);
  painter.drawRoundedRect(box, round, round);
  if (m_scale < kTextScale) return;
  QFont font = m_theme.small();
  font.setPointSizeF(font.pointSizeF() * std::min(1.25, m_scale));
  QFont strong = font;
  strong.setWeight(QFont::DemiBold);
  const QRectF inside = box.adjusted(8 * m_scale, 4 * m_scale, -8 * m_scale, -4 * m_scale);
  painter.setPen(theme::textOn(fill));
  painter.setFont(strong);
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignTop,
                   theme::elided(QFontMetrics(strong), reportText(shown.title), int(inside.width())));
  painter.setFont(font);
  QString below = measureText(shown.totals);
  if (isFolder(row)) {
    const QString longer = tr("%1 · %2").arg(below, theme::plural(shown.operations, tr("operation"), tr("operations")));
    if (QFontMetrics(font).horizontalAdvance(longer) <= inside.width())
      below = longer; // the second sheet says that there are some
  }
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignBottom, theme::elided(QFontMetrics(font), below, int(inside.width())));
}

QRectF GraphPlot::minimap() const {
  const QRectF all(m_at, QSizeF(m_layout.width * m_scale, m_layout.height * m_scale));
  if (m_graph.nodes.empty() || QRectF(0, 0, width(), graphHeight()).contains(all) || width() < 480 || height() < 240) return {};
  const double factor = std::min(200 / m_layout.width, 80 / m_layout.height);
  const QSizeF size(std::max(8.0, m_layout.width * factor), std::max(8.0, m_layout.height * factor));
  return {width() - size.width() - 12, graphHeight() - size.height() - 12, size.width(), size.height()};
}

void GraphPlot::paintMinimap(QPainter& painter) const {
  const QRectF map = minimap();
  if (map.isEmpty()) return;
  const theme::Tokens& t = m_theme.tokens();
  painter.setPen(t.line);
  painter.setBrush(t.background);
  painter.drawRect(map.adjusted(-4, -4, 4, 4));
  const double factor = map.width() / m_layout.width;
  painter.setPen(Qt::NoPen);
  for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
    const TreeRow& row = m_data->tree[std::size_t(m_graph.nodes[n].row)];
    painter.setBrush(m_theme.quantity(m_most > 0 ? measureOf(row.totals) / m_most : 0));
    const LayoutPoint& p = m_layout.nodes[n];
    painter.drawRect(QRectF(map.left() + (p.x - kBoxes.nodeWidth / 2) * factor,
                            map.top() + (p.y - kBoxes.nodeHeight / 2) * factor, std::max(1.5, kBoxes.nodeWidth * factor),
                            std::max(1.5, kBoxes.nodeHeight * factor)));
  }
  const QRectF seen(map.left() - m_at.x() / m_scale * factor, map.top() - m_at.y() / m_scale * factor, width() / m_scale * factor,
                    height() / m_scale * factor);
  painter.setPen(QPen(t.accent, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(seen.intersected(map.adjusted(-3, -3, 3, 3)));
}

} // namespace ui::operations
