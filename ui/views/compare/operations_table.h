// The operations that differ between two reports, with buttons to change the pairing of the selected rows.
#pragma once

#include "analyser/compare/compare.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"

namespace ui::shell {
class ViewState;
}

namespace ui::compare {

class OperationsTable : public tables::FilteredTable {
  Q_OBJECT

public:
  OperationsTable(const theme::Theme& theme, shell::ViewState& state);
  // Null: nothing is compared.
  void setComparison(std::shared_ptr<const analyser::compare::Comparison> comparison);
  QString selectionText(const theme::Format& format) const; // of the selected operation; empty: none

signals:
  void selectionChanged();

private:
  std::shared_ptr<const analyser::compare::Comparison> m_comparison;
  int64_t m_selected = -1;
};

} // namespace ui::compare
