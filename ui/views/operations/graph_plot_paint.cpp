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
constexpr int kLabelWidth = 160, kLabelEdge = 3, kLegendBar = 120;
// Along the arrow, the middle first. A long one passes rows of boxes, between which there is room.
constexpr double kLabelPlaces[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8, 0.14, 0.86, 0.1, 0.9};

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
  paintLabels(painter);
  paintMinimap(painter);
  paintLegend(painter);
}

bool GraphPlot::isMarked(std::size_t edge) const {
  const int focus = m_hoveredNode >= 0 ? m_hoveredNode : nodeOfRow(m_selectedRow);
  return int(edge) == m_hoveredEdge || m_graph.edges[edge].from == focus || m_graph.edges[edge].to == focus;
}

void GraphPlot::paintEdges(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  const int focus = m_hoveredNode >= 0 ? m_hoveredNode : nodeOfRow(m_selectedRow);
  for (const bool marked : {false, true}) { // marked ones lie over the others
    for (std::size_t e = 0; e < m_graph.edges.size(); ++e) {
      const GraphEdge& edge = m_graph.edges[e];
      if (isMarked(e) != marked) continue;
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
    }
  }
}

// Of one variable type and shape, of several their number; below it the bytes.
QStringList GraphPlot::edgeText(const GraphEdge& edge, int width) const {
  const QString what = edge.variables.size() == 1
                           ? reportText(m_data->flow->variables.at(edge.variables.front()).type)
                           : theme::plural(int64_t(edge.variables.size()), tr("variable"), tr("variables"));
  const QFontMetrics metrics(textFont());
  return {theme::elided(metrics, what, width), theme::elided(metrics, m_format.bytes(edge.bytes), width)};
}

// Marked arrows choose first. Words stand on their arrow where they meet no box and no other words: a box in front of them would leave half a
// number. Where there is no such place an arrow has none, and its card tells them.
std::vector<GraphPlot::EdgeLabel> GraphPlot::edgeLabels() const {
  std::vector<EdgeLabel> labels;
  if (m_scale < kTextScale || m_graph.nodes.empty()) return labels;
  const QFontMetrics metrics(textFont());
  // Less than the gap between two layers, with some air on both sides.
  const int width = std::min(kLabelWidth, int((kBoxes.layerGap - 4) * m_scale) - 2 * kLabelEdge - 8);
  const QRectF room(0, 0, this->width(), graphHeight());
  std::vector<QRectF> taken;
  for (std::size_t n = 0; n < m_graph.nodes.size(); ++n)
    if (const QRectF box = boxOf(int(n)); box.intersects(room)) // with the second sheet of a folder
      taken.push_back(box.adjusted(-1, -1, 4 * m_scale + 1, 4 * m_scale + 1));
  if (const QRectF map = minimap(); !map.isEmpty()) taken.push_back(map.adjusted(-4, -4, 4, 4));
  for (const bool marked : {true, false})
    for (std::size_t e = 0; e < m_graph.edges.size(); ++e) {
      if (isMarked(e) != marked || !boundsOf(int(e)).intersects(rect())) continue;
      if (!marked && (!m_isLabelled || m_graph.edges.size() > kLabelled)) continue;
      const QStringList lines = edgeText(m_graph.edges[e], width);
      int wide = 0;
      for (const QString& line : lines) wide = std::max(wide, metrics.horizontalAdvance(line));
      const QSizeF size(wide + 2 * kLabelEdge, metrics.height() * double(lines.size()));
      const QPainterPath path = pathOf(m_layout.edges[e]);
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

std::vector<QRectF> GraphPlot::labelPlaces() const {
  std::vector<QRectF> places;
  for (const EdgeLabel& label : edgeLabels()) places.push_back(label.place);
  return places;
}

void GraphPlot::paintLabels(QPainter& painter) const {
  const theme::Tokens& t = m_theme.tokens();
  QColor plate = t.surface;
  plate.setAlpha(225); // the arrow is seen to go on below
  painter.setFont(textFont());
  for (const EdgeLabel& label : edgeLabels()) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(plate);
    painter.drawRoundedRect(label.place, 3, 3);
    painter.setPen(label.isMarked ? t.text : t.secondary);
    painter.drawText(label.place, Qt::AlignCenter, label.lines.join(u'\n'));
  }
}

// Words shrink with the boxes and grow little.
QFont GraphPlot::textFont() const {
  QFont font = m_theme.small();
  font.setPointSizeF(font.pointSizeF() * std::min(1.25, m_scale));
  return font;
}

void GraphPlot::paintLegend(QPainter& painter) const {
  const QString cycles = m_format.showsSeconds() ? tr("Time of a box") : tr("Cycles of a box");
  const QString caption = m_measure == GraphMeasure::Cycles  ? cycles
                          : m_measure == GraphMeasure::Waste ? tr("Waste of a box")
                                                             : tr("Memory of a box");
  painter.fillRect(QRectF(0, graphHeight(), width(), kLegendHeight), m_theme.tokens().surface);
  plot::paintColourScale(painter, m_theme, {theme::kMargin, int(graphHeight())}, kLegendBar,
                         {tr("%1, logarithmic").arg(caption),
                          m_most > 0 ? tr("%1 or less").arg(measureText(m_most / kRange)) : QStringLiteral("0"),
                          m_most > 0 ? measureText(m_most) : QString(), false});
}

QString GraphPlot::folderOf(int row) const {
  const int parent = m_data->tree[std::size_t(row)].parent;
  if (parent < 0) return {};
  const QString folder = reportText(m_data->tree[std::size_t(parent)].totals.name);
  if (m_roots > 1) return folder;
  const QString all = reportText(m_data->tree.front().totals.name); // of every box
  return folder == all ? QString() : folder.startsWith(all + u'/') ? folder.sliced(all.size() + 1) : folder;
}

void GraphPlot::paintNode(QPainter& painter, int node) const {
  const theme::Tokens& t = m_theme.tokens();
  const int row = m_graph.nodes[std::size_t(node)].row;
  const TreeRow& shown = m_data->tree[std::size_t(row)];
  const QRectF box = boxOf(node);
  const QColor fill = m_theme.quantity(shadeOf(shown.totals));
  const bool isSelected = node == nodeOfRow(m_selectedRow);
  const double round = theme::kRadius * m_scale;
  painter.setPen(QPen(isSelected ? t.accent : node == m_hoveredNode ? t.text : t.line, isSelected ? 3 : 1));
  painter.setBrush(fill);
  if (isFolder(row)) // a second sheet behind: there is more inside
    painter.drawRoundedRect(box.translated(4 * m_scale, 4 * m_scale), round, round);
  painter.drawRoundedRect(box, round, round);
  if (m_scale < kTextScale) return;
  const QFont font = textFont();
  QFont strong = font;
  strong.setWeight(QFont::DemiBold);
  const QRectF inside = box.adjusted(8 * m_scale, 4 * m_scale, -8 * m_scale, -4 * m_scale);
  painter.setPen(theme::textOn(fill));
  painter.setFont(strong);
  const QFontMetrics metrics(strong);
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignTop,
                   metrics.elidedText(reportText(shown.title), Qt::ElideMiddle, int(inside.width())));
  painter.setFont(font);
  if (const QString folder = folderOf(row); !folder.isEmpty())
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(tr("in %1").arg(folder), Qt::ElideMiddle, int(inside.width())));
  QString below = measureText(measureOf(shown.totals));
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
    painter.setBrush(m_theme.quantity(shadeOf(row.totals)));
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
