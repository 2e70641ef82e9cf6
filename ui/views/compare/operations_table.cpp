#include "ui/views/compare/operations_table.h"

#include "ui/theme/report_text.h"
#include "ui/views/compare/pairing_bar.h"

namespace ui::compare {

OperationsTable::OperationsTable(const theme::Theme& theme, shell::ViewState& state)
    : FilteredTable(theme, tr("Operations that differ")) {
  addNote(new PairingBar(state, view(), [this] { return m_comparison ? &m_comparison->operations : nullptr; }));
  view().setEmptyText(tr("All operations cost the same in both reports."));
  connect(&view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    m_selected = ids.empty() ? -1 : ids.front();
    emit selectionChanged();
  });
}

void OperationsTable::setComparison(std::shared_ptr<const analyser::compare::Comparison> comparison) {
  m_comparison = std::move(comparison);
  if (!m_comparison) m_selected = -1;
}

QString OperationsTable::selectionText(const theme::Format& format) const {
  if (!m_comparison || m_selected < 0 || std::size_t(m_selected) >= m_comparison->operations.size()) return {};
  const auto& o = m_comparison->operations[std::size_t(m_selected)];
  return tr("%1: %2, %3").arg(theme::reportText(o.name), format.cyclesDelta(o.cycles()), format.bytesDelta(o.bytes()));
}

} // namespace ui::compare
