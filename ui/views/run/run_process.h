// Runs `tilescope-cli` as a child process: reads the progress from its stderr, passes on stdout and the rest of stderr as the
// log, and can cancel the run. A crash of the child becomes a message. Exit code 1 means "does not fit": a report was written and
// should be opened.
#pragma once

#include "ui/runs/run_history.h"
#include "ui/views/run/run_request.h"

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>

namespace ui::run {

using shell::Outcome;
using shell::PastRun;
using shell::RunHistory;
using shell::RunResult;

class RunProcess : public QObject {
  Q_OBJECT

public:
  explicit RunProcess(QObject* parent = nullptr);
  ~RunProcess() override;

  // `program` is the command line's path. One run at a time.
  void start(const QString& program, const RunRequest& request);
  void cancel();
  bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
  const RunRequest& request() const { return m_request; }
  double seconds() const;
  // The last line of output: the reason of a failure.
  const QString& lastLine() const { return m_lastLine; }
  // The signal that ended a crashed run; 0 if none did.
  int signal() const { return m_process.exitStatus() == QProcess::CrashExit ? m_process.exitCode() : 0; }

signals:
  void progressed(const QString& phase, double fraction);
  void said(const QString& lines); // whole lines, without the last line break
  void ended(ui::shell::Outcome outcome);

private:
  void readOutput();
  void readErrors();
  void takeLine(const QByteArray& line, QStringList& lines);
  void finish(int code, QProcess::ExitStatus status);

  QProcess m_process;
  QByteArray m_rest, m_outputRest; // the beginnings of incomplete lines
  RunRequest m_request;
  QString m_lastLine;
  QElapsedTimer m_clock;
  qint64 m_elapsed = 0;
  bool m_cancelled = false;
};

} // namespace ui::run
