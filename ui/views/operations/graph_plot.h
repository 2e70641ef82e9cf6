// Operations as a graph: boxes are operations or collapsed folders of operations, arrows are the data from one box to the next.
// Boxes are coloured by a measure. A double-click opens a folder, Backspace collapses the folder around the selected box.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/views/operations/graph_painter.h"

#include <QWidget>

namespace ui::operations {

class GraphPlot : public QWidget {
  Q_OBJECT

public:
  explicit GraphPlot(const theme::Theme& theme, QWidget* parent = nullptr);

  void setData(std::shared_ptr<const FlowGraph> graph); // null: nothing
  const std::shared_ptr<const FlowGraph>& data() const { return m_graph.data(); }
  void setFormat(const theme::Format& format);
  void setMeasure(GraphMeasure measure);
  // Whether arrows have labels (data and bytes); hovered ones always do.
  void setLabelled(bool labelled);
  // 0: opens as many folders as keep the graph readable; else opens the folders of this number of levels.
  void setLevels(int levels);
  // Marks the box of a row of the tree, or of the collapsed folder that contains it; -1: none.
  void setSelectedRow(int row);

  std::size_t nodes() const { return m_graph.nodes().size(); }
  std::size_t edges() const { return m_graph.edges().size(); }
  std::vector<QRectF> labelPlaces() const; // rectangles of the arrow labels as they are drawn now
  QRectF boxOfRow(int row) const;          // empty if the row has no box
  double scale() const { return m_viewport.scale(); }

signals:
  void rowClicked(int row);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  void showGraph(); // after the boxes or their measure have changed
  void showFirst();
  void zoomAt(const QPointF& at, double factor);
  void select(int node);
  void toggleOpen(int node, bool open);
  void hover(const QPointF& at);
  void forgetHovered();
  GraphPainter painter() const;

  const theme::Theme& m_theme;
  FoldedGraph m_graph;
  GraphViewport m_viewport{m_graph};
  BoxMeasure m_measure;
  int m_selectedRow = -1, m_hoveredNode = -1, m_hoveredEdge = -1;
  QPointF m_pressed, m_atPressed;
  bool m_isDragging = false, m_isPlaced = false, m_isLabelled = true;
  plot::HoverCard* m_card;
};

} // namespace ui::operations
