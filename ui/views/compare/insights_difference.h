// Insights of the change: findings that are new, gone, or cost more or less than before.
#pragma once

#include "analyser/compare/insights_difference.h"
#include "ui/views/compare/table_difference.h"

namespace ui::shell {
class DetailPanel;
}

namespace ui::compare {

class InsightsDifference : public TableDifference<analyser::compare::InsightsDifference> {
  Q_OBJECT

public:
  explicit InsightsDifference(const shell::ViewParts& parts);

protected:
  Finder finder() const override;
  void drop() override;
  void shown(const analyser::compare::InsightsDifference& found) override;
  void formatChanged() override;

private:
  void select(int64_t id);
  shell::DetailPanel* m_details;
};

} // namespace ui::compare
