// Operations as a graph: boxes are operations or folded folders of them, arrows the data that goes from one to the next. Boxes are
// coloured by a measure; a double click opens a folder, Backspace folds the folder around the selected box.
#pragma once

#include "analyser/operations/data_flow.h"
#include "analyser/operations/layered_layout.h"
#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"

#include <QPointF>
#include <QWidget>

#include <functional>

class QPainterPath;

namespace ui::operations {

enum class GraphMeasure { Cycles, Waste, Memory };

// The data of the plot, shared with the worker that read it.
struct FlowGraph {
  std::vector<analyser::operations::TreeRow> tree;
  std::shared_ptr<const analyser::operations::DataFlow> flow;
};

class GraphPlot : public QWidget {
  Q_OBJECT

public:
  explicit GraphPlot(const theme::Theme& theme, QWidget* parent = nullptr);

  void setData(std::shared_ptr<const FlowGraph> graph); // null: nothing
  const std::shared_ptr<const FlowGraph>& data() const { return m_data; }
  void setFormat(const theme::Format& format);
  void setMeasure(GraphMeasure measure);
  // Whether arrows say what they bring; hovered ones do so in any case.
  void setLabelled(bool labelled);
  // 0: as many folders open as leave a picture that can be read; else folders of this many levels are open.
  void setLevels(int levels);
  // Marks the box of a row of the tree, or of the folder that it is folded into; -1: none.
  void setSelectedRow(int row);

  std::size_t nodes() const { return m_graph.nodes.size(); }
  std::size_t edges() const { return m_graph.edges.size(); }
  // Of the words at arrows as they are drawn now: beside the boxes and beside one another.
  std::vector<QRectF> labelPlaces() const;
  QRectF boxOfRow(int row) const; // empty for a row that has no box
  QPointF placeOf(int row) const; // of a box in the widget, for tests; (-1, -1) for a row that has none
  double scale() const { return m_scale; }

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
  // Three lines in a box; in the gap, room for the words at an arrow.
  static constexpr analyser::operations::LayoutSizes kBoxes{.nodeWidth = 184, .nodeHeight = 58, .layerGap = 136};
  static constexpr double kRange = 1000;    // of the colours: a box of less than this part of the largest has the colour of none
  static constexpr double kTextScale = 0.5; // below, names would be unreadable
  static constexpr int kLegendHeight = 24;

  void rebuild();
  void showAll();
  void showFirst();
  void showSelected();
  void zoomAt(const QPointF& at, double factor);
  void keepInside();
  void toggleOpen(int node, bool open);
  bool isFolder(int row) const { return m_isFolder[std::size_t(row)]; }
  QPointF toWidget(const analyser::operations::LayoutPoint& p) const {
    return {p.x * m_scale + m_at.x(), p.y * m_scale + m_at.y()};
  }
  QRectF boxOf(int node) const;
  QRectF minimap() const; // empty while everything is in sight
  int nodeAt(const QPointF& at) const;
  int edgeAt(const QPointF& at) const;
  QRectF boundsOf(int edge) const;
  int nodeOfRow(int row) const;
  double shadeOf(const analyser::operations::Operation& o) const; // of the colour scale, 0 to 1
  double measureOf(const analyser::operations::Operation& o) const;
  QString measureText(double measure) const;
  QString folderOf(int row) const; // what its box is in: the folders above, without the one that holds all
  QPainterPath pathOf(const std::vector<analyser::operations::LayoutPoint>& points) const;
  void paintEdges(QPainter& painter) const;
  void paintNode(QPainter& painter, int node) const;
  void paintMinimap(QPainter& painter) const;
  void paintLegend(QPainter& painter) const;
  struct EdgeLabel {
    QRectF place;
    QStringList lines;
    bool isMarked = false;
  };
  bool isMarked(std::size_t edge) const; // hovered, or of the hovered or selected box
  std::vector<EdgeLabel> edgeLabels() const;
  void paintLabels(QPainter& painter) const;
  QStringList edgeText(const analyser::operations::GraphEdge& edge, int width) const;
  double graphHeight() const;
  QFont textFont() const; // at the scale of the boxes
  plot::Card nodeCard(int node) const;
  plot::Card edgeCard(int edge) const;
  void hover(const QPointF& at);

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::shared_ptr<const FlowGraph> m_data;
  std::vector<bool> m_open, m_isFolder; // by row
  std::vector<int> m_nodeOfRow;         // -1: its folder is folded, or it is an open folder
  analyser::operations::OperationGraph m_graph;
  analyser::operations::LayeredLayout m_layout;
  GraphMeasure m_measure = GraphMeasure::Cycles;
  int m_roots = 0, m_levels = 0, m_selectedRow = -1, m_hoveredNode = -1, m_hoveredEdge = -1;
  double m_scale = 1, m_most = 0; // m_most: of the measure, over the boxes
  QPointF m_at, m_pressed, m_atPressed;
  bool m_isDragging = false, m_isPlaced = false, m_isLabelled = true;
  plot::HoverCard* m_card;
};

} // namespace ui::operations
