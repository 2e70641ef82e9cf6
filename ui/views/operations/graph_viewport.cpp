#include "ui/views/operations/graph_viewport.h"

#include "ui/theme/theme.h"

#include <algorithm>

namespace ui::operations {

using analyser::operations::LayoutPoint;

namespace {
constexpr double kLeastScale = 0.02, kMostScale = 2.5;
constexpr double kMinimapWidth = 200, kMinimapHeight = 80;
constexpr double kFirstScale = 0.85; // if the whole graph would be too small to read
} // namespace

QRectF GraphViewport::graphRect() const { return {0, 0, m_size.width(), std::max(1.0, m_size.height() - kLegendHeight)}; }

bool GraphViewport::showAll() {
  if (m_size.isEmpty() || m_graph.nodes().empty()) return false;
  const QSizeF room = graphRect().size();
  const auto& all = m_graph.layout();
  const double fit = std::min((room.width() - 2 * theme::kMargin) / std::max(1.0, all.width),
                              (room.height() - 2 * theme::kMargin) / std::max(1.0, all.height));
  m_scale = std::clamp(fit, kLeastScale, 1.0);
  m_at = {(room.width() - all.width * m_scale) / 2, (room.height() - all.height * m_scale) / 2};
  return true;
}

void GraphViewport::showAround(int node) {
  m_scale = kFirstScale;
  const LayoutPoint& centre = m_graph.layout().nodes[std::size_t(node)];
  moveTo(graphRect().center() - QPointF(centre.x, centre.y) * m_scale);
}

// A graph larger than the widget covers it; a smaller one stays in its middle. One that is too high can be moved up by the height
// of the minimap, which would hide its last boxes.
void GraphViewport::moveTo(const QPointF& position) {
  const auto within = [](double at, double content, double room, double below) {
    const double margin = theme::kMargin;
    if (content + 2 * margin <= room) return (room - content) / 2;
    return std::clamp(at, room - content - margin - below, margin);
  };
  const QSizeF room = graphRect().size();
  m_at = {within(position.x(), m_graph.layout().width * m_scale, room.width(), 0),
          within(position.y(), m_graph.layout().height * m_scale, room.height(), kMinimapHeight)};
}

void GraphViewport::zoomAt(const QPointF& at, double factor) {
  const double scale = std::clamp(m_scale * factor, kLeastScale, kMostScale), by = scale / m_scale;
  m_scale = scale;
  moveTo(at + (m_at - at) * by);
}

void GraphViewport::bringIntoSight(int node) {
  if (const QRectF box = boxOf(node); !rect().contains(box)) moveTo(m_at + rect().center() - box.center());
}

bool GraphViewport::moveByMinimap(const QPointF& at) {
  const QRectF map = minimap();
  if (!map.contains(at)) return false;
  moveTo(rect().center() - (at - map.topLeft()) * (m_graph.layout().width / map.width()) * m_scale);
  return true;
}

QRectF GraphViewport::boxOf(int node) const {
  const QPointF centre = toPixel(m_graph.layout().nodes[std::size_t(node)]);
  const double w = FoldedGraph::kBoxes.nodeWidth * m_scale, h = FoldedGraph::kBoxes.nodeHeight * m_scale;
  return {centre.x() - w / 2, centre.y() - h / 2, w, h};
}

QRectF GraphViewport::boundsOf(int edge) const {
  QRectF bounds;
  for (const LayoutPoint& p : m_graph.layout().edges[std::size_t(edge)]) {
    const QPointF at = toPixel(p);
    bounds = bounds.united(QRectF(at.x() - 8, at.y() - 8, 16, 16));
  }
  return bounds;
}

QPainterPath GraphViewport::pathOf(int edge) const {
  const auto& points = m_graph.layout().edges[std::size_t(edge)];
  QPainterPath path(toPixel(points.front()));
  for (std::size_t i = 1; i < points.size(); ++i) {
    const QPointF a = toPixel(points[i - 1]), b = toPixel(points[i]);
    const double middle = (a.x() + b.x()) / 2;
    path.cubicTo({middle, a.y()}, {middle, b.y()}, b);
  }
  return path;
}

QRectF GraphViewport::minimap() const {
  const auto& all = m_graph.layout();
  if (m_graph.nodes().empty() || graphRect().contains(QRectF(m_at, QSizeF(all.width, all.height) * m_scale)) ||
      m_size.width() < 480 || m_size.height() < 240)
    return {};
  const double factor = std::min(kMinimapWidth / all.width, kMinimapHeight / all.height);
  const QSizeF size(std::max(8.0, all.width * factor), std::max(8.0, all.height * factor));
  return {m_size.width() - size.width() - 12, graphRect().height() - size.height() - 12, size.width(), size.height()};
}

int GraphViewport::nodeAt(const QPointF& at) const {
  for (std::size_t n = 0; n < m_graph.nodes().size(); ++n)
    if (boxOf(int(n)).contains(at)) return int(n);
  return -1;
}

int GraphViewport::edgeAt(const QPointF& at) const {
  QPainterPathStroker stroker;
  stroker.setWidth(8);
  for (std::size_t e = 0; e < m_graph.edges().size(); ++e)
    if (boundsOf(int(e)).contains(at) && stroker.createStroke(pathOf(int(e))).contains(at)) return int(e);
  return -1;
}

} // namespace ui::operations
