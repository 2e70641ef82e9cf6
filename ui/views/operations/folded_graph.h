// The graph of the operations: boxes, arrows for the data between them, which folders are open, and all positions at full size.
#pragma once

#include "analyser/operations/data_flow.h"
#include "analyser/operations/layered_layout.h"

#include <QString>

#include <memory>
#include <vector>

namespace ui::operations {

// The data that a worker has read, shared with it.
struct FlowGraph {
  std::vector<analyser::operations::TreeRow> tree;
  std::shared_ptr<const analyser::operations::DataFlow> flow;
};

class FoldedGraph {
public:
  // Three lines in a box; the gap has space for the text at an arrow.
  static constexpr analyser::operations::LayoutSizes kBoxes{.nodeWidth = 184, .nodeHeight = 58, .layerGap = 136};

  void setData(std::shared_ptr<const FlowGraph> graph); // null: nothing
  const std::shared_ptr<const FlowGraph>& data() const { return m_data; }
  void setLevels(int levels); // see GraphPlot
  // Opens or collapses a folder. Returns the row to select next: the first one inside an open folder, else the folder.
  int setOpen(int row, bool open);

  const std::vector<analyser::operations::GraphNode>& nodes() const { return m_graph.nodes; }
  const std::vector<analyser::operations::GraphEdge>& edges() const { return m_graph.edges; }
  const analyser::operations::LayeredLayout& layout() const { return m_layout; }
  const analyser::operations::TreeRow& rowOf(int node) const { return m_data->tree[std::size_t(nodes()[std::size_t(node)].row)]; }
  bool isFolder(int row) const { return m_isFolder[std::size_t(row)]; }
  int nodeOf(int row) const;       // -1: the row is in a collapsed folder, or is an open folder
  int nodeAround(int row) const;   // the box of the row, or of the collapsed folder that contains it
  QString folderOf(int row) const; // the folders that contain its box, without the one that contains all

private:
  void rebuild();

  std::shared_ptr<const FlowGraph> m_data;
  std::vector<bool> m_open, m_isFolder; // by row
  std::vector<int> m_nodeOfRow;
  analyser::operations::OperationGraph m_graph;
  analyser::operations::LayeredLayout m_layout;
  int m_roots = 0, m_levels = 0;
};

} // namespace ui::operations
