// Insights of the change: findings that are new, gone, or cost more or less than before.
#pragma once

#include "analyser/compare/insights_difference.h"
#include "ui/tables/table.h"
#include "ui/views/compare/pair_view.h"

namespace ui::shell {
class DetailPanel;
}
namespace ui::tables {
class FilteredTable;
}

namespace ui::compare {

class InsightsDifference : public PairView {
  Q_OBJECT

public:
  explicit InsightsDifference(const shell::ViewParts& parts);
  bool focusFilter() override;

protected:
  void read() override;
  void drop() override;

private:
  struct Answer {
    analyser::compare::InsightsDifference difference;
    std::shared_ptr<const tables::Table> table;
  };
  void select(int64_t id);
  jobs::LatestJob<Answer> m_job;
  tables::FilteredTable* m_table;
  shell::DetailPanel* m_details;
};

} // namespace ui::compare
