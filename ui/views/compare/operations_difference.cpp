#include "ui/views/compare/operations_difference.h"

#include "ui/state/view_state.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/operations_table.h"

#include <QLabel>

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
    : TableDifference(parts, tr("Comparing the operations"), new OperationsTable(parts.theme, parts.state),
                      QStringLiteral("operations"), &operationsVerdict,
                      [](const analyser::compare::Comparison& c) { return operationTable(c.operations); }) {
  page().setBody(&table());
  table().addNote(m_same = theme::plainLabel());
  connect(&state().notes(), &shell::ReportNotes::pairingChanged, this, [this] {
    if (hasBoth()) read();
  });
  connect(&operations(), &OperationsTable::selectionChanged, this, &View::selectionTextChanged);
}

OperationsTable& OperationsDifference::operations() const { return static_cast<OperationsTable&>(table()); }
QString OperationsDifference::selectionText() const { return operations().selectionText(format()); }

void OperationsDifference::drop() {
  TableDifference::drop();
  operations().setComparison(nullptr);
}

OperationsDifference::Finder OperationsDifference::finder() const {
  return [rules = state().notes().pairing()](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
    return analyser::compare::compare(a, b, stop, rules);
  };
}

void OperationsDifference::shown(const analyser::compare::Comparison& comparison) {
  operations().setComparison(found());
  m_same->setText(tr("%1 cost the same").arg(theme::count(int64_t(comparison.sameOperations.size()))));
}

} // namespace ui::compare
