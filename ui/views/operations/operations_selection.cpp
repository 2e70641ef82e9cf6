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
#include <cstdlib>

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
  keepSelection();
  show();
}

void OperationsView::keepSelection() {
  if (m_selected >= 0 && std::size_t(m_selected) < m_rows.size())
    m_kept = {selectedOperation(), m_rows.shown(m_selected).values.name};
  m_selected = -1;
}

int64_t OperationsView::rowOfKept() const {
  if (rows() == Rows::Layer) return -1; // a layer's rows are not operations
  for (std::size_t row = 0; row < m_rows.size(); ++row) {
    const Entry& e = m_rows.shown(int64_t(row));
    const Entry& inA = m_rows.in[InA][row];
    const bool isKept = m_kept.operation < 0     ? inA.operation < 0 && !m_kept.name.empty() && e.values.name == m_kept.name
                        : rows() == Rows::ByKind ? std::binary_search(inA.members.begin(), inA.members.end(), m_kept.operation)
                                                 : inA.operation == m_kept.operation;
    if (isKept) return int64_t(row);
  }
  return -1;
}

int OperationsView::selectedOperation(Report report) const {
  const Entry* entry = m_rows.at(m_selected, report);
  return entry ? entry->operation : -1;
}

std::vector<int> OperationsView::selectedMembers(Report report) const {
  const Entry* entry = m_rows.at(m_selected, report);
  return entry ? entry->members : std::vector<int>();
}

void OperationsView::select(int64_t row, bool tell) {
  if (row < 0 || std::size_t(row) >= m_rows.size() || row == m_selected) return;
  m_selected = row, m_kept = {};
  m_bars->setSelectedId(row);
  m_roofline->setSelected(row);
  if (m_state.picture == Picture::Graph) m_graph->setSelectedRow(inGraph(row));
  if (isTree())
    m_tree->selectId(row);
  else
    m_table->view().selectIds({row});
  showSteps();
  emit selectionTextChanged();
  const Entry* chosen = m_rows.at(row, InA);      // other views show A's
  if (!tell || !stepsOfRows() || !chosen) return; // rows about to be replaced select nothing in other views
  if (const int operation = chosen->operation; operation >= 0)
    state().setOperation(m_job.result()->in[InA].operations.rows[std::size_t(operation)].id, chosen->values.costliestStep);
  else
    state().setOperation({}, costliestStep(stepsOfRows(), chosen->members)); // a group is not an operation, but it has steps
}

// Selects the row with the largest value; for two reports, with the largest change.
void OperationsView::selectLargest() {
  const auto amount = [this](std::size_t row) {
    const auto of = [&](const Entry& e) {
      return m_state.picture == Picture::Waste ? e.values.tileCycles.wasted() : e.values.total.value();
    };
    return m_rows.areOfTwo() ? std::abs(of(m_rows.in[InB][row]) - of(m_rows.in[InA][row])) : of(m_rows.in[InA][row]);
  };
  std::size_t largest = 0;
  for (std::size_t row = 1; row < m_rows.size(); ++row)
    if (amount(row) > amount(largest)) largest = row;
  select(int64_t(largest), false);
}

// Selects the operation, or the operation of the step, that another view selected. A hidden view waits until it is shown: its
// rows may be groups, which are replaced to show an operation.
void OperationsView::follow() {
  const auto answer = m_job.result();
  if (!answer || !isVisible()) return;
  if (const auto id = state().operation(); id.valid()) {
    const auto& rowsOfAll = answer->in[InA].operations.rows;
    const auto row = std::find_if(rowsOfAll.begin(), rowsOfAll.end(), [id](const auto& o) { return o.id == id; });
    if (row != rowsOfAll.end()) return followOperation(int(row - rowsOfAll.begin()));
  }
  const reports::ProgramStepId step = state().step();
  if (!step.valid() || isGrouped()) return; // a group stays selected: the step may be one of its steps
  // Operations that share code have steps in common: the selected one stays, because another one would replace the user's choice.
  const int selected = selectedOperation();
  const std::vector<int> members = selectedMembers();
  const auto& steps = answer->in[InA].steps;
  const bool staysHere = std::any_of(steps.begin(), steps.end(), [&](const auto& s) {
    return s.node.id == step && std::binary_search(members.begin(), members.end(), s.operation);
  });
  if (staysHere && selected < 0) return; // the selected folder has the step
  // Several operations may have the step: takes the one whose name begins the step's name, as in Program and Trace, else the
  // first.
  int found = -1;
  for (const auto& s : steps) {
    if (s.node.id != step || (staysHere && s.operation != selected)) continue;
    const bool isNamed = s.node.name.starts_with(answer->in[InA].operations.rows[std::size_t(s.operation)].name + '/');
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
  const auto& entries = m_rows.in[InA];
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [operation](const Entry& e) { return e.operation == operation; });
  if (!answer || entry == entries.end()) return;
  select(entry - entries.begin(), false);
  const auto& steps = answer->in[InA].steps;
  const auto step = std::find_if(steps.begin(), steps.end(),
                                 [&](const auto& s) { return s.operation == operation && s.node.id == state().step(); });
  if (step != steps.end()) m_steps->view().selectIds({int64_t(step - steps.begin())});
}

QString OperationsView::selectionText() const {
  if (m_selected < 0 || std::size_t(m_selected) >= m_rows.size()) return {};
  const QString name = reportText(m_rows.shown(m_selected).values.name);
  const auto in = [&](Report report) {
    const Entry* entry = m_rows.at(m_selected, report);
    return entry
               ? tr("%1, %2 of the listed cycles").arg(format().cycles(entry->values.total), theme::percent(entry->values.share))
               : tr("not there");
  };
  return m_rows.areOfTwo() ? tr("%1: A %2; B %3").arg(name, in(InA), in(InB)) : tr("%1: %2").arg(name, in(InA));
}

} // namespace ui::operations
