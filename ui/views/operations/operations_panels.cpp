// The columns of the Operations view, and the parts that are read when they are first shown: the graph, and the selected operation's origin.
#include "ui/theme/report_text.h"
#include "ui/views/operations/operations_view.h"

#include "ui/parts/debug_tab.h"
#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/views/operations/graph_plot.h"

#include <QComboBox>
#include <QMenu>
#include <QTabWidget>

namespace ui::operations {

using theme::messageText;
using theme::reportText;

void OperationsView::buildColumns() {
  m_columns = settings().value("operations/columns", columnsShownAtFirst()).toStringList();
  QMenu* menu = page().viewMenu();
  menu->addAction(tr("Columns"))->setEnabled(false); // a heading: the style sheet draws none for a section
  for (const auto& column : choosableColumns()) {
    const QString id = QString::fromStdString(column.id);
    QAction* action = menu->addAction(reportText(column.title));
    action->setToolTip(theme::tipText(reportText(column.meaning)));
    action->setCheckable(true);
    action->setChecked(m_columns.contains(id));
    connect(action, &QAction::toggled, this, [this, id](bool on) {
      m_columns.removeAll(id);
      if (on) m_columns << id;
      settings().setValue("operations/columns", m_columns);
      showTable();
    });
  }
}

// IPUs are one box each until they are opened.
void OperationsView::foldGraph() { m_graph->setLevels(m_state.levels == 0 && rows() == Rows::ByIpu ? 1 : m_state.levels); }

void OperationsView::showGraph() {
  const bool byIpu = rows() == Rows::ByIpu;
  const auto graph = m_graphs.graph(byIpu);
  if (const auto answer = m_job.result(); !graph && m_worker && answer)
    return m_graphs.read(
        m_worker, {answer, &answer->operations}, byIpu ? FlowGraphs::Tree{answer, &answer->byIpu} : nullptr,
        [this] { showGraph(); },
        [this](const reports::Error& error) {
          page().setBanner(tr("The graph could not be read: %1").arg(messageText(error.what())), shell::Tone::Bad);
        });
  if (!graph) return;
  if (m_graph->data() != graph) {
    m_graph->setData(graph);
    foldGraph();
  }
  m_graph->setFormat(format());
  m_graph->setSelectedRow(rowOfEntry(m_selected));
  if (!graph->flow->isKnown)
    page().setBanner(tr("This report does not say what its steps read and write: the graph has no arrows. Run it again with this "
                        "version to see them."),
                     shell::Tone::Neutral);
  else if (!graph->flow->issue.empty())
    page().setBanner(reportText(graph->flow->issue), shell::Tone::Neutral);
}

int OperationsView::entryOfRow(int row) const {
  const auto graph = m_graphs.graph(rows() == Rows::ByIpu);
  if (!graph || row < 0 || std::size_t(row) >= graph->tree.size()) return -1;
  if (isTree()) return row;
  const int operation = graph->tree[std::size_t(row)].operation;
  return rows() == Rows::All ? operation : -1;
}

int OperationsView::rowOfEntry(int64_t entry) const {
  const auto graph = m_graphs.graph(rows() == Rows::ByIpu);
  if (!graph || entry < 0 || std::size_t(entry) >= m_entries.size()) return -1;
  if (isTree()) return int(entry);
  const auto& tree = graph->tree;
  for (std::size_t i = 0; rows() == Rows::All && i < tree.size(); ++i)
    if (tree[i].operation == int(entry)) return int(i);
  return -1;
}

// Shows the creator of an operation or a call: a folder or a kind has many.
void OperationsView::showMaker() {
  const auto answer = m_job.result();
  reports::DebugContextId context;
  if (const int operation = selectedOperation(); answer && operation >= 0)
    context = answer->operations.rows[std::size_t(operation)].debugContext;
  else if (m_selected >= 0 && std::size_t(m_selected) < m_entries.size() &&
           m_entries[std::size_t(m_selected)].members.size() == 1)
    context = m_entries[std::size_t(m_selected)].values.debugContext; // a call of a layer
  shell::setTabShown(*page().tabs(), m_maker, context.valid());
  m_maker->showContext(m_worker, context);
}

} // namespace ui::operations
