// Compares two reports: causes, totals, memory and liveness curves over each other, variables, settings. The source is the
// base and the target the other; swapping asks the window, which owns the reports.
#pragma once

#include "analyser/compare/compare.h"
#include "ui/views/compare/pair_view.h"

class QTabWidget;
class QToolButton;

namespace ui::shell {
class ElidedLabel;
}
namespace ui::tables {
class FilteredTable;
class TableView;
struct Table;
} // namespace ui::tables

namespace ui::compare {

class PairPlot;
class ReportColumns;
class TracePair;

class CompareView : public PairView {
  Q_OBJECT

public:
  explicit CompareView(const shell::ViewParts& parts);
  ~CompareView() override;

  void setFurther(const std::vector<shell::SessionPointer>& reports) override { m_further = reports; }
  bool isBusy() const override;
  QString selectionText() const override;
  bool focusFilter() override;

protected:
  void read() override;
  void drop() override;
  void begin() override;
  void formatChanged() override { show(); }

private:
  struct Answer {
    analyser::compare::Comparison comparison;
    analyser::compare::CurvePair curves;
    std::shared_ptr<const tables::Table> totals, categories, settings, variables;
  };
  QWidget* buildHeader();
  void connectPlots();
  void showSelectedTiles();
  void showSides();
  void showColumns();
  void show();
  void showVerdict();
  bool isOfAll() const; // the page of more than two reports is shown
  void copyMarkdown();
  void copyVerdict();

  std::vector<shell::SessionPointer> m_further;
  jobs::LatestJob<Answer> m_job;
  shell::ElidedLabel *m_source, *m_target;
  QTabWidget* m_tabs;
  QToolButton *m_copyVerdict, *m_copyAll;
  tables::TableView *m_totals, *m_categories;
  shell::ElidedLabel* m_means; // a remark on the causes if there are several IPUs
  tables::FilteredTable *m_findings, *m_variables, *m_settings;
  PairPlot *m_memory, *m_liveness;
  TracePair* m_trace;
  ReportColumns* m_columns; // a page that exists only if there are more than two reports
};

} // namespace ui::compare
