// The host's side of both reports: time and calls of each label in A, in B, and the difference.
#pragma once

#include "analyser/compare/host_difference.h"
#include "ui/tables/table.h"
#include "ui/views/compare/pair_view.h"

namespace ui::tables {
class FilteredTable;
}

namespace ui::compare {

class HostDifference : public PairView {
  Q_OBJECT

public:
  explicit HostDifference(const shell::ViewParts& parts);
  bool focusFilter() override;

protected:
  void read() override;
  void formatChanged() override;

private:
  struct Answer {
    analyser::Sentence verdict;
    std::shared_ptr<const tables::Table> table;
  };
  jobs::LatestJob<Answer> m_job;
  tables::FilteredTable* m_table;
};

} // namespace ui::compare
