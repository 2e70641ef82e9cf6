// Compares two reports: totals, memory and liveness curves over one another, operations by effect, settings.
// The source is the base and the target the other; swapping asks the window, which owns the reports.
#pragma once

#include "analyser/compare/compare.h"
#include "ui/jobs/latest_job.h"
#include "ui/shell/view.h"
#include "ui/shell/on_worker.h"

class QTabWidget;

namespace ui::plot {
class Legend;
class StepPlot;
struct Card;
} // namespace ui::plot
namespace ui::shell {
class ElidedLabel;
}
namespace ui::tables {
class FilteredTable;
class TableView;
struct Table;
} // namespace ui::tables

namespace ui::compare {

class ProgramPair;
class TracePair;

class CompareView : public shell::View {
  Q_OBJECT

public:
  explicit CompareView(const shell::ViewParts& parts);
  ~CompareView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override { return m_job.isBusy(); }
  QString selectionText() const override;
  bool focusFilter() override;

protected:
  void formatChanged() override { show(); }

private:
  struct Answer {
    analyser::compare::Comparison comparison;
    analyser::compare::CurvePair curves;
    std::shared_ptr<const tables::Table> totals, categories, operations, settings, findings, variables;
  };
  struct Overlay { // one plot with its legend
    QWidget* page;
    plot::Legend* legend;
    plot::StepPlot* plot;
  };
  QWidget* buildHeader();
  Overlay addOverlay(const QString& name, const QString& title);
  void read();
  void show();
  void copyText();
  void showOverlay(const Overlay& overlay, const std::vector<reports::Bytes>& source, const std::vector<reports::Bytes>& target,
                   const QString& axis, reports::Bytes limit);
  plot::Card positionCard(const QString& what, int64_t position, const std::vector<reports::Bytes>& source,
                          const std::vector<reports::Bytes>& target) const;
  QColor sourceColour() const;
  QColor targetColour() const;

  shell::SessionPointer m_base, m_other;
  std::shared_ptr<shell::WorkerSession> m_baseWorker, m_otherWorker;
  jobs::LatestJob<Answer> m_job;
  int64_t m_operation = -1;
  shell::ElidedLabel *m_source, *m_target;
  QTabWidget* m_tabs;
  tables::TableView *m_totals, *m_categories;
  tables::FilteredTable *m_findings, *m_operations, *m_variables, *m_settings;
  Overlay m_memory{}, m_liveness{};
  ProgramPair* m_program;
  TracePair* m_trace;
};

} // namespace ui::compare
