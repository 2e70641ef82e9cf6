// The selection of the Operations view: by hand, from another view, and after a change of rows.
#include "ui/plot/bar_list.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/views/operations/graph_plot.h"
#include "ui/views/operations/operations_view.h"
#include "ui/views/operations/roofline.h"

#include <QComboBox>

#include <algorithm>

namespace ui::operations {

using theme::reportText;

namespace {
// The costliest step of the rows `members`; invalid if they have no step.
reports::ProgramStepId costliestStep(const TileTab::Steps& steps, const std::vector<int>& members) {
  const analyser::operations::OperationStep* most = nullptr;
  for (std::size_t i = 0; steps && i < steps->size(); ++i)
    if (const auto& step = (*steps)[i]; std::binary_search(members.begin(), members.end(), step.operation))
      if (!most || step.node.cycles > most->node.cycles) most = &step;
  return most ? most->node.id : reports::ProgramStepId();
}
} // namespace

// Replaces the rows and selects the same operation or name among the new ones, if present.
void OperationsView::changeRows() {
  if (m_selected >= 0 && std::size_t(m_selected) < m_entries.size()) {
    const Entry& entry = m_entries[std::size_t(m_selected)];
    m_kept = {selectedOperation(), entry.values.name};
  }
  m_selected = -1;
  show();
}

int64_t OperationsView::entryOfKept() const {
  if (rows() == Rows::Layer) return -1; // its rows are not operations
  const auto isKept = [&](const Entry& e) {
    if (m_kept.operation < 0) return e.operation < 0 && !m_kept.name.empty() && e.values.name == m_kept.name;
    return rows() == Rows::ByKind ? std::binary_search(e.members.begin(), e.members.end(), m_kept.operation)
                                  : e.operation == m_kept.operation;
  };
  const auto found = std::find_if(m_entries.begin(), m_entries.end(), isKept);
  return found == m_entries.end() ? -1 : found - m_entries.begin();
}

int OperationsView::selectedOperation() const {
  return m_selected >= 0 && std::size_t(m_selected) < m_entries.size() ? m_entries[std::size_t(m_selected)].operation : -1;
}

std::vector<int> OperationsView::selectedMembers() const {
  return m_selected >= 0 && std::size_t(m_selected) < m_entries.size() ? m_entries[std::size_t(m_selected)].members
                                                                       : std::vector<int>();
}

void OperationsView::select(int64_t entry, bool tell) {
  if (entry < 0 || std::size_t(entry) >= m_entries.size() || entry == m_selected) return;
  m_selected = entry, m_kept = {};
  m_bars->setSelectedId(entry);
  m_roofline->setSelected(entry);
  if (m_state.picture == Picture::Graph) m_graph->setSelectedRow(rowOfEntry(entry));
  if (isTree())
    m_tree->selectId(entry);
  else
    m_table->view().selectIds({entry});
  showSteps();
  emit selectionTextChanged();
  if (!tell || !stepsOfRows()) return; // rows that will be replaced select nothing in other views
  const auto& chosen = m_entries[std::size_t(entry)].values;
  if (const int operation = selectedOperation(); operation >= 0)
    state().setOperation(m_job.result()->operations.rows[std::size_t(operation)].id, chosen.costliestStep);
  else
    state().setOperation({}, costliestStep(stepsOfRows(), selectedMembers())); // a group is not an operation, but has steps
}

void OperationsView::selectLargest() {
  const auto largest = std::max_element(m_entries.begin(), m_entries.end(), [&](const Entry& a, const Entry& b) {
    if (m_state.picture == Picture::Waste) return a.values.tileCycles.wasted() < b.values.tileCycles.wasted();
    return a.values.total < b.values.total;
  });
  select(largest - m_entries.begin(), false);
}

// Selects the operation, or the operation of the step, that another view selected. A hidden view waits until it is shown: its rows may be groups,
// which are replaced to show an operation.
void OperationsView::follow() {
  const auto answer = m_job.result();
  if (!answer || !isVisible()) return;
  if (const auto id = state().operation(); id.valid()) {
    const auto& rowsOfAll = answer->operations.rows;
    const auto row = std::find_if(rowsOfAll.begin(), rowsOfAll.end(), [id](const auto& o) { return o.id == id; });
    if (row != rowsOfAll.end()) return followOperation(int(row - rowsOfAll.begin()));
  }
  const reports::ProgramStepId step = state().step();
  if (!step.valid() || isGrouped()) return; // a group stays: the selected step may be its own
  // Operations that share code have steps in common: the selected one stays, because another one would replace the user's choice.
  const int selected = selectedOperation();
  const std::vector<int> members = selectedMembers();
  const bool staysHere = std::any_of(answer->steps.begin(), answer->steps.end(), [&](const auto& s) {
    return s.node.id == step && std::binary_search(members.begin(), members.end(), s.operation);
  });
  if (staysHere && selected < 0) return; // a folder has it
  // Else the operation whose name begins the step's name, as in Program and Trace, before those that only share the step.
  int found = -1;
  for (const auto& s : answer->steps) {
    if (s.node.id != step || (staysHere && s.operation != selected)) continue;
    const bool isNamed = s.node.name.starts_with(answer->operations.rows[std::size_t(s.operation)].name + '/');
    if (found < 0 || isNamed) found = s.operation;
    if (isNamed) break;
  }
  if (found >= 0) selectOperation(found);
}

// Shows operations instead of groups, so that this operation is visible.
void OperationsView::followOperation(int operation) {
  if (isGrouped()) {
    m_grouping->setCurrentIndex(0);
    m_selected = -1, m_kept = {};
    show();
  }
  selectOperation(operation);
}

// Also selects the step that other views have selected, if the operation has it.
void OperationsView::selectOperation(int operation) {
  const auto answer = m_job.result();
  const auto entry =
      std::find_if(m_entries.begin(), m_entries.end(), [operation](const Entry& e) { return e.operation == operation; });
  if (!answer || entry == m_entries.end()) return;
  select(entry - m_entries.begin(), false);
  const auto step = std::find_if(answer->steps.begin(), answer->steps.end(),
                                 [&](const auto& s) { return s.operation == operation && s.node.id == state().step(); });
  if (step != answer->steps.end()) m_steps->view().selectIds({int64_t(step - answer->steps.begin())});
}

QString OperationsView::selectionText() const {
  if (m_selected < 0 || std::size_t(m_selected) >= m_entries.size()) return {};
  const auto& v = m_entries[std::size_t(m_selected)].values;
  return tr("%1: %2, %3 of the listed cycles").arg(reportText(v.name), format().cycles(v.total), theme::percent(v.share));
}

} // namespace ui::operations
