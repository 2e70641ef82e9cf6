// The columns and the roofline of the Operations view, and the parts that are read when they are first shown: the graph, and the selected
// operation's origin.
#include "ui/theme/report_text.h"
#include "ui/views/operations/operations_view.h"

#include "ui/parts/debug_tab.h"
#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/views/operations/graph_plot.h"
#include "ui/views/operations/roofline.h"

#include <QComboBox>
#include <QMenu>
#include <QTabWidget>

#include <limits>

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
  if (const auto answer = m_job.result(); !graph && m_reports && answer)
    return m_graphs.read(
        m_reports.baseWorker(), {answer, &answer->in[InA].operations}, byIpu, [this] { showGraph(); },
        [this](const reports::Error& error) {
          page().setBanner(tr("The graph could not be read: %1").arg(messageText(error.what())), shell::Tone::Bad);
        });
  if (!graph) return;
  if (m_graph->data() != graph) {
    m_graph->setData(graph);
    foldGraph();
  }
  m_graph->setFormat(format());
  m_graph->setSelectedRow(inGraph(m_selected));
  if (!graph->flow->isKnown)
    page().setBanner(tr("This report does not say what its steps read and write: the graph has no arrows. Run it again with this "
                        "version to see them."),
                     shell::Tone::Neutral);
  else if (!graph->flow->issue.empty())
    page().setBanner(reportText(graph->flow->issue), shell::Tone::Neutral);
}

int OperationsView::rowOfGraph(int row) const {
  const auto graph = m_graphs.graph(rows() == Rows::ByIpu);
  if (!graph || row < 0 || std::size_t(row) >= graph->tree.size()) return -1;
  if (isTree()) return row;
  const int operation = graph->tree[std::size_t(row)].operation;
  return rows() == Rows::All ? operation : -1;
}

int OperationsView::inGraph(int64_t row) const {
  const auto graph = m_graphs.graph(rows() == Rows::ByIpu);
  if (!graph || row < 0 || std::size_t(row) >= m_rows.size()) return -1;
  if (isTree()) return int(row);
  const auto& tree = graph->tree;
  for (std::size_t i = 0; rows() == Rows::All && i < tree.size(); ++i)
    if (tree[i].operation == int(row)) return int(i);
  return -1;
}

// The roofs hold for one IPU: an operation on one of several IPUs is limited by that IPU, and the rate of an operation on
// several is per IPU.
void OperationsView::showRoofs() {
  const auto roofsOf = [](const analyser::Session& session) {
    const auto& machine = session.machine();
    Roofs roofs;
    roofs.bytesPerSecond = machine.exchangeBytesPerCycle * double(machine.tilesPerIpu) * double(machine.clockHz);
    roofs.fp16 = machine.peakFp16FlopsPerSecond, roofs.fp32 = machine.peakFp32FlopsPerSecond;
    roofs.fp8 = machine.peakFp8FlopsPerSecond;
    roofs.own = machine.peakFlopsPerSecond(session.metadata("precision"));
    return roofs;
  };
  Roofs roofs = roofsOf(*m_reports.base());
  if (m_reports.areTwo()) {
    Roofs ofB = roofsOf(*m_reports.other());
    roofs.ofB = ofB.own, ofB.own = roofs.own, ofB.ofB = roofs.ofB;
    if (ofB != roofs) return m_roofline->setRoofs({}); // two machines have no common roof
  }
  m_roofline->setRoofs(roofs);
}

void OperationsView::showRoofline() {
  std::vector<bool> isFolder(m_rows.size(), false);
  for (const Entry& e : m_rows.in[InA])
    if (e.parent >= 0) isFolder[std::size_t(e.parent)] = true;
  const auto pointIn = [this](std::size_t row, Report report) -> std::optional<RooflinePoint> {
    const Entry* entry = m_rows.at(int64_t(row), report);
    const double seconds = entry ? analyser::operations::ipuSeconds(machineOf(report), entry->values) : 0;
    if (seconds <= 0 || entry->values.flops.value() <= 0) return {};
    const auto& v = entry->values;
    return RooflinePoint{int64_t(row), reportText(v.name),
                         v.exchangeBytes.value() > 0 ? double(v.flops.value()) / double(v.exchangeBytes.value())
                                                     : std::numeric_limits<double>::infinity(),
                         double(v.flops.value()) / seconds, v.share};
  };
  std::vector<RooflinePoint> points;
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    if (isFolder[i]) continue;
    const auto a = pointIn(i, InA), b = m_rows.areOfTwo() ? pointIn(i, InB) : std::nullopt;
    if (!a && !b) continue;
    points.push_back(b ? *b : *a);
    points.back().isOfB = b.has_value();
    if (a && b)
      points.back().before = {a->intensity, a->rate};
    else if (m_rows.areOfTwo() && a)
      points.back().isGone = true;
  }
  m_roofline->setPoints(std::move(points));
  m_roofline->setSelected(m_selected);
}

// Shows what created the selected operation or call, in A if A has it. A folder or a kind has many creators and shows none.
void OperationsView::showMaker() {
  const auto answer = m_job.result();
  const Report report = m_rows.at(m_selected, InA) ? InA : InB;
  reports::DebugContextId context;
  if (const int operation = selectedOperation(report); answer && operation >= 0)
    context = answer->in[report].operations.rows[std::size_t(operation)].debugContext;
  else if (const Entry* entry = m_rows.at(m_selected, report); entry && entry->members.size() == 1)
    context = entry->values.debugContext; // a call of a layer
  shell::setTabShown(*page().tabs(), m_maker, context.valid());
  m_maker->showContext(report == InA ? m_reports.baseWorker() : m_reports.otherWorker(), context);
}

} // namespace ui::operations
