// One run: what it is, its phase and progress, the clock and the log.
#pragma once

#include "ui/views/run/run_process.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QProgressBar;

namespace ui::run {

class RunCard : public QWidget {
  Q_OBJECT

public:
  RunCard();
  // Shows a run that is over or belongs to another window.
  void showPast(const PastRun& run, const QString& log); // empty `log`: shows what the history knows
  void showWaiting(const PastRun& run, const QString& log);
  // A fraction of 0 means that the phase has not reported its progress yet.
  void showRunning(const PastRun& run, const QString& log, const QString& phase, double fraction);
  void setSeconds(double seconds);
  void append(const QString& lines);
  // Adds lines to the log of a run; the oldest are dropped.
  static void addTo(QString& log, const QString& lines);

private:
  void showLog(const QString& log);
  QLabel *m_title, *m_phase, *m_clock;
  QProgressBar* m_bar;
  QPlainTextEdit* m_log;
};

} // namespace ui::run
