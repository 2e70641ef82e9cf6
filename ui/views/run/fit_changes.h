// Changes that may make the run in the form fit, like those that Insights lists for a program that does not fit. A click applies
// a change to the form; "Find what fits" compiles the changes one after another.
#pragma once

#include "ui/runs/dry_run.h"
#include "ui/theme/format.h"
#include "ui/views/run/run_request.h"

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace ui::shell {
class TrialCheck;
class WrappedLabel;
} // namespace ui::shell

namespace ui::run {

class FitChanges : public QWidget {
  Q_OBJECT

public:
  explicit FitChanges(QWidget* parent = nullptr);
  void setFormat(const theme::Format& format);
  // Lists the changes of a run, and drops results of other changes. Without changes the widget is hidden.
  void setChanges(const RunRequest& run, std::vector<shell::DryRun::Change> changes);
  bool isBusy() const; // whether it compiles changes

signals:
  void chosen(const QStringList& options); // to change in the form
  void busyChanged();

private:
  struct Row {
    QPushButton* button;
    shell::WrappedLabel* words;
  };
  void showAnswers();
  RunRequest m_run;
  std::vector<shell::DryRun::Change> m_changes;
  std::vector<Row> m_rows;
  theme::Format m_format;
  shell::TrialCheck* m_check;
  QPushButton* m_find;
  QVBoxLayout* m_list;
};

} // namespace ui::run
