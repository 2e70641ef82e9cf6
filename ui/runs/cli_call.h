// One question to `tilescope-cli`, answered as JSON: which samples and machines there are, whether a run fits. The window runs the command
// line as a child process, so that it needs no simulator and a crash there is a message here.
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

// The program that the variable TILESCOPE_CLI names, else the one beside this one, else the one on the path; empty: there is none.
QString cliPath();
// The error of a program that cannot be found or started.
reports::Error cliMissing();
// For a process that is not started yet: it gets SIGTERM when the window is killed, and `nicer` is added to its niceness.
void endWithWindow(QProcess& process, int nicer = 0);

// More than a question about lists takes, which runs nothing.
inline constexpr std::chrono::seconds kListTime{30};

class CliCall : public QObject {
  Q_OBJECT

public:
  // `done` or `failed` is called once, later, on this thread; the object deletes itself then or with its parent. An answer may come with
  // exit code 1: "no", as of a program that does not fit.
  CliCall(const QStringList& arguments, std::function<void(const QJsonDocument&)> done,
          std::function<void(const reports::Error&)> failed, QObject* parent, int nicer = 0);
  ~CliCall() override;
  // Without an answer by then the program is ended, and `failed` says so.
  void endAfter(std::chrono::milliseconds time);

signals:
  void said(const QByteArray& line); // of its progress and errors

private:
  void read();
  void finish(int code, QProcess::ExitStatus status);
  QProcess m_process;
  QByteArray m_errors;
  qsizetype m_saidTo = 0; // of the errors, in whole lines
  std::function<void(const QJsonDocument&)> m_done;
  std::function<void(const reports::Error&)> m_failed;
};

} // namespace ui::shell
