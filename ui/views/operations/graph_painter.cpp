#include "ui/views/operations/graph_painter.h"

#include "ui/plot/colour_scale.h"
#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui::operations {

using analyser::operations::GraphEdge;
using theme::reportText;

namespace {

constexpr std::size_t kLabelled = 24; // arrows: with more, their labels would hide the boxes
constexpr int kLabelWidth = 160, kLabelEdge = 3, kLegendBar = 120;
// Along the arrow, the middle first. A long arrow passes rows of boxes, with space between them.
constexpr double kLabelPlaces[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8, 0.14, 0.86, 0.1, 0.9};

double arrowWidth(const GraphEdge& edge) {
  return std::clamp(1 + 0.3 * std::log2(1 + double(edge.bytes.value()) / 4096), 1.0, 5.0);
}

} // namespace

void GraphPainter::paint(QPainter& painter) const {
  painter.fillRect(m_viewport.rect(), m_theme.tokens().surface);
  painter.setFont(m_theme.small());
  if (m_graph.nodes().empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  paintEdges(painter);
  for (std::size_t n = 0; n < m_graph.nodes().size(); ++n)
    if (m_viewport.boxOf(int(n)).intersects(m_viewport.rect())) paintNode(painter, int(n));
  paintLabels(painter);
  paintMinimap(painter);
  paintLegend(painter);
}

bool GraphPainter::isMarked(int edge) const {
  const GraphEdge& e = m_graph.edges()[std::size_t(edge)];
  return edge == m_marked.hoveredEdge || e.from == focus() || e.to == focus();
}

void GraphPainter::paintEdges(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  for (const bool marked : {false, true}) { // marked ones are painted over the others
    for (int e = 0; e < int(m_graph.edges().size()); ++e) {
      if (isMarked(e) != marked) continue;
      if (!m_viewport.boundsOf(e).intersects(m_viewport.rect())) continue;
      const GraphEdge& edge = m_graph.edges()[std::size_t(e)];
      QColor colour = marked ? t.accent : t.secondary;
      if (!marked) colour.setAlphaF(focus() >= 0 ? 0.35f : 0.6f);
      const double wide = std::max(1.0, arrowWidth(edge) * std::min(1.0, m_viewport.scale()));
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(colour, wide, edge.carried ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
      painter.drawPath(m_viewport.pathOf(e));
      const auto& points = m_graph.layout().edges[std::size_t(e)];
      const QPointF tip = m_viewport.toPixel(points.back());
      const double reach = (points[points.size() - 2].x < points.back().x ? -1 : 1) * (4 + 2 * wide);
      painter.setPen(Qt::NoPen);
      painter.setBrush(colour);
      painter.drawPolygon(QPolygonF{tip, tip + QPointF(reach, -reach / 2), tip + QPointF(reach, reach / 2)});
    }
  }
}

// The type and shape of a single variable, or the number of several; below it the bytes.
QStringList GraphPainter::edgeText(const GraphEdge& edge, int width) const {
  const QString what = edge.variables.size() == 1
                           ? reportText(m_graph.data()->flow->variables.at(edge.variables.front()).type)
                           : theme::plural(int64_t(edge.variables.size()), tr("variable"), tr("variables"));
  const QFontMetrics metrics(textFont());
  return {theme::elided(metrics, what, width), theme::elided(metrics, m_measure.format().bytes(edge.bytes), width)};
}

// Marked arrows are labelled first. A label is placed on its arrow where it overlaps no box and no other label, because a box in
// front would hide half a number. An arrow without such a position has no label; its tooltip has the text.
std::vector<GraphPainter::Label> GraphPainter::labels() const {
  std::vector<Label> labels;
  const double scale = m_viewport.scale();
  if (scale < GraphViewport::kTextScale || m_graph.nodes().empty()) return labels;
  const QFontMetrics metrics(textFont());
  // Less than the gap between two layers, with a margin on both sides.
  const int width = std::min(kLabelWidth, int((FoldedGraph::kBoxes.layerGap - 4) * scale) - 2 * kLabelEdge - 8);
  const QRectF room = m_viewport.graphRect();
  std::vector<QRectF> taken;
  for (std::size_t n = 0; n < m_graph.nodes().size(); ++n)
    if (const QRectF box = m_viewport.boxOf(int(n)); box.intersects(room)) // including the second sheet of a folder
      taken.push_back(box.adjusted(-1, -1, 4 * scale + 1, 4 * scale + 1));
  if (const QRectF map = m_viewport.minimap(); !map.isEmpty()) taken.push_back(map.adjusted(-4, -4, 4, 4));
  for (const bool marked : {true, false})
    for (int e = 0; e < int(m_graph.edges().size()); ++e) {
      if (isMarked(e) != marked || !m_viewport.boundsOf(e).intersects(m_viewport.rect())) continue;
      if (!marked && (!m_isLabelled || m_graph.edges().size() > kLabelled)) continue;
      const QStringList lines = edgeText(m_graph.edges()[std::size_t(e)], width);
      int wide = 0;
      for (const QString& line : lines) wide = std::max(wide, metrics.horizontalAdvance(line));
      const QSizeF size(wide + 2 * kLabelEdge, metrics.height() * double(lines.size()));
      const QPainterPath path = m_viewport.pathOf(e);
      for (const double at : kLabelPlaces) {
        const QPointF middle = path.pointAtPercent(at);
        const QRectF place(middle.x() - size.width() / 2, middle.y() - size.height() / 2, size.width(), size.height());
        if (!room.contains(place) ||
            std::any_of(taken.begin(), taken.end(), [&](const QRectF& r) { return r.intersects(place); }))
          continue;
        taken.push_back(place);
        labels.push_back({place, lines, marked});
        break;
      }
    }
  return labels;
}

void GraphPainter::paintLabels(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  QColor plate = t.surface;
  plate.setAlpha(225); // so that the arrow below stays visible
  painter.setFont(textFont());
  for (const Label& label : labels()) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(plate);
    painter.drawRoundedRect(label.place, 3, 3);
    painter.setPen(label.isMarked ? t.text : t.secondary);
    painter.drawText(label.place, Qt::AlignCenter, label.lines.join(u'\n'));
  }
}

// The text shrinks with the boxes and grows only a little.
QFont GraphPainter::textFont() const {
  QFont font = m_theme.small();
  font.setPointSizeF(font.pointSizeF() * std::min(1.25, m_viewport.scale()));
  return font;
}

void GraphPainter::paintLegend(QPainter& painter) const {
  const QRectF graph = m_viewport.graphRect();
  painter.fillRect(QRectF(0, graph.height(), graph.width(), GraphViewport::kLegendHeight), m_theme.tokens().surface);
  plot::paintColourScale(painter, m_theme, {theme::kMargin, int(graph.height())}, kLegendBar,
                         {tr("%1, logarithmic").arg(m_measure.caption()), m_measure.leastText(),
                          m_measure.most() > 0 ? m_measure.text(m_measure.most()) : QString(), false});
}

void GraphPainter::paintNode(QPainter& painter, int node) const {
  const theme::Tokens& t = m_theme.tokens();
  const int row = m_graph.nodes()[std::size_t(node)].row;
  const auto& shown = m_graph.rowOf(node);
  const QRectF box = m_viewport.boxOf(node);
  const QColor fill = m_theme.quantity(m_measure.shade(shown.totals));
  const bool isSelected = node == m_marked.selected;
  const double scale = m_viewport.scale(), round = theme::kRadius * scale;
  painter.setPen(QPen(isSelected ? t.accent : node == m_marked.hovered ? t.text : t.line, isSelected ? 3 : 1));
  painter.setBrush(fill);
  if (m_graph.isFolder(row)) // a second sheet behind marks a folder
    painter.drawRoundedRect(box.translated(4 * scale, 4 * scale), round, round);
  painter.drawRoundedRect(box, round, round);
  if (scale < GraphViewport::kTextScale) return;
  const QFont font = textFont();
  QFont strong = font;
  strong.setWeight(QFont::DemiBold);
  const QRectF inside = box.adjusted(8 * scale, 4 * scale, -8 * scale, -4 * scale);
  painter.setPen(theme::textOn(fill));
  painter.setFont(strong);
  const QFontMetrics metrics(strong);
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignTop,
                   metrics.elidedText(reportText(shown.title), Qt::ElideMiddle, int(inside.width())));
  painter.setFont(font);
  if (const QString folder = m_graph.folderOf(row); !folder.isEmpty())
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(tr("in %1").arg(folder), Qt::ElideMiddle, int(inside.width())));
  QString below = m_measure.text(m_measure.of(shown.totals));
  if (m_graph.isFolder(row)) {
    const QString longer = tr("%1 · %2").arg(below, theme::plural(shown.operations, tr("operation"), tr("operations")));
    if (QFontMetrics(font).horizontalAdvance(longer) <= inside.width())
      below = longer; // the second sheet shows that there are vertices inside
  }
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignBottom, theme::elided(QFontMetrics(font), below, int(inside.width())));
}

void GraphPainter::paintMinimap(QPainter& painter) const {
  const QRectF map = m_viewport.minimap();
  if (map.isEmpty()) return;
  const theme::Tokens& t = m_theme.tokens();
  painter.setPen(t.line);
  painter.setBrush(t.background);
  painter.drawRect(map.adjusted(-4, -4, 4, 4));
  constexpr auto kBoxes = FoldedGraph::kBoxes;
  const double factor = map.width() / m_graph.layout().width;
  painter.setPen(Qt::NoPen);
  for (std::size_t n = 0; n < m_graph.nodes().size(); ++n) {
    painter.setBrush(m_theme.quantity(m_measure.shade(m_graph.rowOf(int(n)).totals)));
    const auto& p = m_graph.layout().nodes[n];
    painter.drawRect(QRectF(map.left() + (p.x - kBoxes.nodeWidth / 2) * factor,
                            map.top() + (p.y - kBoxes.nodeHeight / 2) * factor, std::max(1.5, kBoxes.nodeWidth * factor),
                            std::max(1.5, kBoxes.nodeHeight * factor)));
  }
  const double scale = m_viewport.scale();
  const QPointF at = m_viewport.position();
  const QRectF seen(map.left() - at.x() / scale * factor, map.top() - at.y() / scale * factor,
                    m_viewport.rect().width() / scale * factor, m_viewport.rect().height() / scale * factor);
  painter.setPen(QPen(t.accent, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(seen.intersected(map.adjusted(-3, -3, 3, 3)));
}

} // namespace ui::operations
