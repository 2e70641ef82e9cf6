// Which operations of the model cost most: the largest as bars, all of them as a table, both with one selection, and the program
// steps the selected one became.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/shell/view.h"
#include "ui/shell/on_worker.h"
#include "ui/views/operations/operations_tables.h"

class QComboBox;

namespace ui::plot {
class Legend;
}
namespace ui::tables {
class FilteredTable;
}

namespace ui::operations {

class OperationsView : public shell::View {
  Q_OBJECT

public:
  explicit OperationsView(const shell::ViewParts& parts);
  ~OperationsView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override { return m_job.isBusy(); }
  QString selectionText() const override;
  bool focusFilter() override;

protected:
  void themeChanged() override { showSteps(); }
  void formatChanged() override { show(); }

private:
  struct Answer {
    analyser::operations::Operations operations;
    std::vector<analyser::operations::OperationStep> steps;
  };
  void buildTabs();
  void read();
  void show();
  void showLegend(const analyser::operations::Operation& totals);
  void select(int64_t entry, bool tell);
  void selectCostliest();
  void showSteps();
  void followStep(reports::ProgramStepId step);

  std::shared_ptr<shell::WorkerSession> m_worker;
  jobs::LatestJob<Answer> m_job;
  std::vector<Entry> m_entries;
  int64_t m_selected = -1;
  QComboBox* m_grouping;
  plot::Legend* m_legend;
  plot::BarList* m_bars;
  tables::FilteredTable *m_table, *m_steps;
};

} // namespace ui::operations
