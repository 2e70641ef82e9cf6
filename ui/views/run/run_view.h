// Runs a sample or a model. At the left the form, filled with the settings of the open report; at the right the program in the
// form (graph, inputs, memory), the current run with its log, and all runs of this user, which can be opened, repeated and
// compared. Two run at a time, more wait.
#pragma once

#include "reports/core/units.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/view.h"
#include "ui/state/view_state.h"
#include "ui/views/run/run_estimate.h"
#include "ui/views/run/run_form.h"
#include "ui/views/run/run_process.h"

#include <QElapsedTimer>
#include <QMap>
#include <QTimer>

class QTabWidget;
class QVBoxLayout;

namespace ui::shell {
struct TrialRun;
}
namespace ui::run {

class EstimateCard;
class RunCard;
class RunList;

class RunView : public shell::View {
  Q_OBJECT

public:
  explicit RunView(const shell::ViewParts& parts);
  ~RunView() override;
  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override;
  QString unfinished() const override;

protected:
  void formatChanged() override;
  void showEvent(QShowEvent* event) override;

private:
  // A run of this window; its row in the history stores the same facts.
  struct Active {
    std::unique_ptr<RunProcess> process;
    RunRequest request;
    int64_t id = -1; // in the history
    RunForm::After after{};
    QString base;                       // the report to compare with
    shell::ReportNotes::TriedRun tried; // its change is empty unless another view requested the run
    QString log, phase;
    double fraction = 0;
    QElapsedTimer heard; // time since its last output
    bool isSilent = false;
  };
  QWidget* buildRight(jobs::JobBoard& board);
  QWidget* buildNow();
  void followForm();
  void askEstimate();
  void readFullest();
  void showReference();
  void ask();
  void takeRequest();
  void takeSettings();
  void showHeadline();
  void sayWhatIsLeft(const shell::TrialRun& run);
  void takeReport(const QString& path);
  void runSample(const QString& name);
  void tryAgain(const shell::RunTrial& order);
  // The settings of the form's report; files that it names are left out until the user agreed.
  std::optional<RunRequest> settingsOfReport();
  void askForFiles(const QStringList& files, const QString& action, std::function<void()> agreed);
  shell::SessionPointer opened(const QString& path) const; // A or B
  // Queues the run of the form. It is then compared with the form's report if the form says so; with `tried.base` if another view
  // requested the run.
  void enqueue(shell::ReportNotes::TriedRun tried = {});
  void startNext();
  void begin(Active& run);
  void end(Active& run, Outcome outcome);
  QWidget* buildRuns(jobs::JobBoard& board);
  void showRuns();
  void tell(const Active& run, const PastRun& row);
  void offer(const Active& run, const PastRun& row);
  void showActive();
  void showProgress();
  void hear(Active& run);
  void lookForSilence();
  void cancel();
  void useSettingsOf(int64_t id);
  bool isRunning() const;
  Active* shown();

  RunForm* m_form;
  EstimateCard* m_estimateCard;
  QTabWidget* m_cards;
  QStringList m_words; // of the form's request
  QString m_program;
  RunEstimate m_check; // the estimate of the request without its errors, which finds further errors
  RunHistory m_history;
  std::vector<std::unique_ptr<Active>> m_active;   // running first, then queued, in the order they were asked for
  QMap<int64_t, QString> m_logs;                   // of runs of this window that ended, by their number in the history
  int64_t m_shown = -1;                            // the run of the history that the card shows; -1: none
  shell::SessionPointer m_opened, m_other, m_base; // A and B; the one of them whose settings the form has
  bool m_settingsDue = false;
  RunCard* m_card;
  QVBoxLayout* m_right;
  RunList* m_list;
  QTimer m_tick;
  jobs::LatestJob<reports::Bytes> m_fullest;
  std::optional<reports::Bytes> m_fullestOfBase; // without gaps
  int m_asking = 0;
  int m_silence = 60'000; // milliseconds without output before we warn that the run may hang
};

} // namespace ui::run
