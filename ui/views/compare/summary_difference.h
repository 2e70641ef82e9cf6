// Summary of the difference: improvements, regressions, their causes, and the changes in memory.
#pragma once

#include "analyser/compare/compare.h"
#include "ui/tables/table.h"
#include "ui/views/compare/pair_view.h"

namespace ui::tables {
class TableView;
}

namespace ui::compare {

class SummaryDifference : public PairView {
  Q_OBJECT

public:
  explicit SummaryDifference(const shell::ViewParts& parts);

protected:
  void read() override;
  void formatChanged() override;

private:
  struct Answer {
    analyser::compare::Comparison comparison;
    std::shared_ptr<const tables::Table> totals, categories, settings;
  };
  jobs::LatestJob<Answer> m_job;
  tables::TableView *m_causes, *m_totals, *m_categories, *m_settings;
};

} // namespace ui::compare
