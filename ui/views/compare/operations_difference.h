// Operations of both reports: cycles and memory of each in A, in B, and the difference.
#pragma once

#include "analyser/compare/compare.h"
#include "ui/tables/table.h"
#include "ui/views/compare/pair_view.h"

class QLabel;

namespace ui::tables {
class FilteredTable;
}

namespace ui::compare {

class OperationsDifference : public PairView {
  Q_OBJECT

public:
  explicit OperationsDifference(const shell::ViewParts& parts);
  bool focusFilter() override;
  QString selectionText() const override;

protected:
  void read() override;
  void drop() override;
  void formatChanged() override;

private:
  struct Answer {
    analyser::compare::Comparison comparison;
    std::shared_ptr<const tables::Table> table;
  };
  jobs::LatestJob<Answer> m_job;
  tables::FilteredTable* m_table;
  QLabel* m_same;
  int64_t m_selected = -1;
};

} // namespace ui::compare
