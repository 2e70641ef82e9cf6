// Runs a sample or a model: form at the left; at the right the run under way with its log, and the runs of this session,
// which can be opened and compared.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/run/run_process.h"

#include <QTimer>

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace ui::tables {
class TableView;
}

namespace ui::run {

class RunForm;

class RunView : public shell::View {
  Q_OBJECT

public:
  explicit RunView(const shell::ViewParts& parts);
  ~RunView() override;
  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override { return m_asking > 0; }
  // Replaces the program that is run, for tests.
  void setProgram(const QString& program) { m_program = program; }

protected:
  void formatChanged() override;
  void showEvent(QShowEvent* event) override;

private:
  struct Run {
    RunRequest request;
    Outcome outcome = Outcome::Running;
    double seconds = 0;
  };
  QWidget* buildRight();
  QWidget* buildNow();
  QWidget* buildRuns();
  void ask();
  void takeRequest();
  void start();
  void end(Outcome outcome);
  void showRuns();
  void openRun(int64_t run);
  void compareLastTwo();
  QString outcomeText(const Run& run) const;

  RunForm* m_form;
  RunProcess m_process;
  QString m_program;
  std::vector<Run> m_runs;
  QLabel *m_title, *m_phase, *m_clock;
  QProgressBar* m_bar;
  QPlainTextEdit* m_log;
  QVBoxLayout* m_right;
  tables::TableView* m_table;
  QPushButton *m_openRun, *m_compare;
  QTimer m_tick;
  int m_asking = 0;
  bool m_optionsAreOfRequest = false; // the options in the form came with a request, not from the user
};

} // namespace ui::run
