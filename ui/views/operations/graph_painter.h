// Paints the graph: arrows below, boxes over them, then the labels of arrows, the minimap and the legend.
#pragma once

#include "ui/views/operations/box_measure.h"
#include "ui/views/operations/graph_viewport.h"

#include <QCoreApplication>
#include <QFont>
#include <QStringList>

class QPainter;

namespace ui::theme {
class Theme;
}

namespace ui::operations {

class GraphPainter {
  Q_DECLARE_TR_FUNCTIONS(ui::operations::GraphPainter)

public:
  // The highlighted boxes and arrow; -1: none.
  struct Marked {
    int selected = -1, hovered = -1, hoveredEdge = -1;
  };
  struct Label {
    QRectF place;
    QStringList lines;
    bool isMarked = false;
  };
  // Marked arrows always have a label (data and bytes), the others if `isLabelled`.
  GraphPainter(const theme::Theme& theme, const FoldedGraph& graph, const GraphViewport& viewport, const BoxMeasure& measure,
               const Marked& marked, bool isLabelled)
      : m_theme(theme), m_graph(graph), m_viewport(viewport), m_measure(measure), m_marked(marked), m_isLabelled(isLabelled) {}

  void paint(QPainter& painter) const;
  std::vector<Label> labels() const; // without overlaps between boxes and labels

private:
  void paintEdges(QPainter& painter) const;
  void paintNode(QPainter& painter, int node) const;
  void paintLabels(QPainter& painter) const;
  void paintMinimap(QPainter& painter) const;
  void paintLegend(QPainter& painter) const;
  int focus() const { return m_marked.hovered >= 0 ? m_marked.hovered : m_marked.selected; }
  bool isMarked(int edge) const; // hovered, or connected to the hovered or selected box
  QStringList edgeText(const analyser::operations::GraphEdge& edge, int width) const;
  QFont textFont() const; // at the scale of the boxes

  const theme::Theme& m_theme;
  const FoldedGraph& m_graph;
  const GraphViewport& m_viewport;
  const BoxMeasure& m_measure;
  Marked m_marked;
  bool m_isLabelled;
};

} // namespace ui::operations
