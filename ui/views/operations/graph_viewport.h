// The visible part of a graph and its scale: the positions of boxes and arrows in pixels, and the box or arrow at a point.
#pragma once

#include "ui/views/operations/folded_graph.h"

#include <QPainterPath>
#include <QRectF>

namespace ui::operations {

class GraphViewport {
public:
  static constexpr double kTextScale = 0.5; // below, names would be unreadable
  static constexpr int kLegendHeight = 24;  // the legend has the lowest line

  explicit GraphViewport(const FoldedGraph& graph) : m_graph(graph) {}

  void setSize(const QSizeF& size) { m_size = size; }
  QRectF rect() const { return {QPointF(), m_size}; }
  QRectF graphRect() const; // without the legend
  double scale() const { return m_scale; }
  const QPointF& position() const { return m_at; } // of the graph's corner

  bool showAll(); // returns false if the graph is empty or has no space
  void showAround(int node);
  void moveTo(const QPointF& position); // stops at the edges of the graph
  void zoomAt(const QPointF& at, double factor);
  void bringIntoSight(int node);
  bool moveByMinimap(const QPointF& at); // returns false if the point is outside the minimap

  QPointF toPixel(const analyser::operations::LayoutPoint& p) const {
    return {p.x * m_scale + m_at.x(), p.y * m_scale + m_at.y()};
  }
  QRectF boxOf(int node) const;
  QRectF boundsOf(int edge) const;
  QPainterPath pathOf(int edge) const;
  QRectF minimap() const; // empty while the whole graph is visible
  int nodeAt(const QPointF& at) const;
  int edgeAt(const QPointF& at) const;

private:
  const FoldedGraph& m_graph;
  QSizeF m_size;
  QPointF m_at;
  double m_scale = 1;
};

} // namespace ui::operations
