#include "ui/views/operations/folded_graph.h"

#include "ui/theme/report_text.h"

namespace ui::operations {

using theme::reportText;

void FoldedGraph::setData(std::shared_ptr<const FlowGraph> graph) {
  m_data = std::move(graph);
  m_isFolder.assign(m_data ? m_data->tree.size() : 0, false);
  m_roots = 0;
  for (std::size_t i = 0; i < m_isFolder.size(); ++i) {
    const int parent = m_data->tree[i].parent;
    if (parent >= 0)
      m_isFolder[std::size_t(parent)] = true;
    else
      ++m_roots;
  }
  setLevels(m_levels);
}

void FoldedGraph::setLevels(int levels) {
  m_levels = levels;
  m_open.clear();
  if (m_data) m_open = analyser::operations::openFolders(m_data->tree, levels);
  rebuild();
}

int FoldedGraph::setOpen(int row, bool open) {
  m_open[std::size_t(row)] = open;
  rebuild();
  for (std::size_t i = 0; open && i < m_data->tree.size(); ++i)
    if (m_data->tree[i].parent == row) return int(i);
  return row;
}

void FoldedGraph::rebuild() {
  m_graph = {}, m_layout = {};
  m_nodeOfRow.assign(m_isFolder.size(), -1);
  if (!m_data) return;
  m_graph = analyser::operations::operationGraph(m_data->tree, *m_data->flow, m_open);
  std::vector<analyser::operations::LayoutEdge> edges;
  for (const auto& e : m_graph.edges) edges.push_back({e.from, e.to});
  m_layout = analyser::operations::layeredLayout(m_graph.nodes.size(), edges, kBoxes);
  for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) m_nodeOfRow[std::size_t(m_graph.nodes[n].row)] = int(n);
}

int FoldedGraph::nodeOf(int row) const {
  return row >= 0 && std::size_t(row) < m_nodeOfRow.size() ? m_nodeOfRow[std::size_t(row)] : -1;
}

int FoldedGraph::nodeAround(int row) const {
  for (; row >= 0; row = m_data->tree[std::size_t(row)].parent)
    if (m_nodeOfRow[std::size_t(row)] >= 0) return m_nodeOfRow[std::size_t(row)];
  return -1;
}

QString FoldedGraph::folderOf(int row) const {
  const int parent = m_data->tree[std::size_t(row)].parent;
  if (parent < 0) return {};
  const QString folder = reportText(m_data->tree[std::size_t(parent)].totals.name);
  if (m_roots > 1) return folder;
  const QString all = reportText(m_data->tree.front().totals.name); // the root of every box
  return folder == all ? QString() : folder.startsWith(all + u'/') ? folder.sliced(all.size() + 1) : folder;
}

} // namespace ui::operations
