// One query to `tilescope-cli`, answered as JSON, e.g. for the samples and machines, or whether a run fits. The window runs the
// command line as a child process, so that it needs no simulator and a crash of the child is only a message here.
#pragma once

#include "reports/core/error.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QObject>
#include <QProcess>
#include <QStringList>

#include <chrono>
#include <functional>

namespace ui::shell {

// The program in the variable TILESCOPE_CLI, else in the folder of this program, else on the PATH; empty: not found.
QString cliPath();
// The error of a program that cannot be found or started.
reports::Error cliMissing();
// Call before the process starts. The process gets SIGTERM when the window is killed, and `nicer` is added to its niceness.
void endWithWindow(QProcess& process, int nicer = 0);

// More time than any query needs that does not run a program.
inline constexpr std::chrono::seconds kListTime{30};

class CliCall : public QObject {
  Q_OBJECT

public:
  // `done` or `failed` is called once, later, on this thread; the object deletes itself then or with its parent. An answer may
  // come with exit code 1 and mean "no", e.g. that a program does not fit.
  CliCall(const QStringList& arguments, std::function<void(const QJsonDocument&)> done,
          std::function<void(const reports::Error&)> failed, QObject* parent, int nicer = 0);
  ~CliCall() override;
  // Without an answer by then, ends the program and calls `failed`.
  void endAfter(std::chrono::milliseconds time);

signals:
  void said(const QByteArray& line); // a line of its progress or errors

private:
  void read();
  void finish(int code, QProcess::ExitStatus status);
  QProcess m_process;
  QByteArray m_errors;
  qsizetype m_saidTo = 0; // end of the last whole line of its errors that was reported
  std::function<void(const QJsonDocument&)> m_done;
  std::function<void(const reports::Error&)> m_failed;
};

} // namespace ui::shell
