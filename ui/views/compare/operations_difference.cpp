#include "ui/views/compare/operations_difference.h"

#include "ui/parts/page.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/pairing_bar.h"

#include <QLabel>
#include <QLineEdit>

namespace ui::compare {

namespace {

analyser::Sentence operationsVerdict(const analyser::compare::Comparison& c) {
  const auto all = int64_t(c.operations.size() + c.sameOperations.size());
  if (all == 0) return "Neither report lists operations.";
  analyser::Sentence verdict;
  if (c.operations.empty()) return verdict << "All " << all << " operations cost the same.";
  int64_t slower = 0, faster = 0;
  for (const auto& o : c.operations) slower += o.cycles() > reports::Cycles(), faster += o.cycles() < reports::Cycles();
  verdict << int64_t(c.operations.size()) << " of " << all << " operations differ: " << slower << " slower, " << faster
          << " faster";
  if (const auto& most = c.operations.front(); most.cycles() != reports::Cycles())
    verdict << "; most " << analyser::Sentence::Name{most.name} << " "
            << analyser::Sentence::Change<reports::Cycles>{most.cycles()};
  return verdict << ".";
}

} // namespace

OperationsDifference::OperationsDifference(const shell::ViewParts& parts)
    : PairView(parts), m_job(tr("Comparing the operations"), &parts.jobs) {
  page().setBody(m_table = new tables::FilteredTable(theme(), tr("Operations that differ")));
  fields().table("operations", *m_table);
  m_table->addNote(m_same = theme::plainLabel());
  m_table->addNote(new PairingBar(state(), m_table->view(), [this] {
    const auto answer = m_job.result();
    return answer ? &answer->comparison.operations : nullptr;
  }));
  connect(&state().notes(), &shell::ReportNotes::pairingChanged, this, [this] {
    if (hasBoth()) read();
  });
  m_table->view().setEmptyText(tr("All operations cost the same in both reports."));
  setMainJob(m_job, [this] { read(); });
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    m_selected = ids.empty() ? -1 : ids.front();
    emit selectionTextChanged();
  });
}

bool OperationsDifference::focusFilter() {
  m_table->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

QString OperationsDifference::selectionText() const {
  const auto answer = m_job.result();
  if (!answer || m_selected < 0 || std::size_t(m_selected) >= answer->comparison.operations.size()) return {};
  const auto& o = answer->comparison.operations[std::size_t(m_selected)];
  return tr("%1: %2, %3").arg(theme::reportText(o.name), format().cyclesDelta(o.cycles()), format().bytesDelta(o.bytes()));
}

void OperationsDifference::drop() {
  PairView::drop();
  m_selected = -1;
}

void OperationsDifference::formatChanged() { m_table->view().setFormat(format()); }

void OperationsDifference::read() {
  page().showLoading(tr("Comparing the operations"));
  ask(
      m_job,
      [rules = state().notes().pairing()](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
        auto comparison = analyser::compare::compare(a, b, stop, rules);
        auto table = operationTable(comparison.operations);
        return Answer{std::move(comparison), std::move(table)};
      },
      [this](const Answer& answer) {
        page().setVerdict(operationsVerdict(answer.comparison));
        formatChanged();
        m_table->setTable(answer.table);
        m_same->setText(tr("%1 cost the same").arg(theme::count(int64_t(answer.comparison.sameOperations.size()))));
        page().showContent();
      });
}

} // namespace ui::compare
