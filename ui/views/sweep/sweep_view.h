// Many runs of one graph with different settings: the form at the left, at the right the runs as points and as a table while they
// finish. The runs are done by `tilescope-cli sweep run`, so a sweep of a cluster is shown the same way, and a stopped one can
// continue.
#pragma once

#include "analyser/sweep/sweep_table.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/view.h"

#include <QProcess>
#include <QTimer>

class QPushButton;

namespace ui::tables {
class FilteredTable;
struct Table;
} // namespace ui::tables

namespace ui::sweep {

class SweepForm;
class SweepPlot;

class SweepView : public shell::View {
  Q_OBJECT

public:
  explicit SweepView(const shell::ViewParts& parts);
  ~SweepView() override;
  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  QString selectionText() const override;
  QString unfinished() const override { return m_process.state() == QProcess::NotRunning ? QString() : tr("a sweep"); }
  // Shows the sweep in this folder, which `sweep plan` made.
  void showFolder(const QString& folder);

protected:
  void showEvent(QShowEvent* event) override;
  void formatChanged() override { show(); }

private:
  QWidget* buildResults();
  void plan();
  void run();
  void stop();
  void ended(int code, QProcess::ExitStatus status);
  void forgetPlan();
  void read();
  void show();
  void showVerdict();
  void keepPlan();
  void readSamples();
  std::shared_ptr<const tables::Table> tableOf() const;
  void showFailures();
  void select(const std::vector<int64_t>& points);
  void openPoint(int64_t point);
  void compareSelected();
  void chooseFolder();

  SweepForm* m_form;
  SweepPlot* m_plot;
  tables::FilteredTable* m_table;
  QPushButton *m_openRun, *m_compare;
  QString m_folder, m_plannedFolder; // planned: by this window, from its form
  QProcess m_process;
  QTimer m_tick, m_kill;
  bool m_knowsSamples = false;
  bool m_wasInterrupted = false, m_isPlanning = false, m_isStopping = false;
  jobs::LatestJob<analyser::sweep::SweepTable> m_job;
  std::vector<int64_t> m_selected;
};

} // namespace ui::sweep
