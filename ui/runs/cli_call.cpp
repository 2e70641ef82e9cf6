#include "ui/runs/cli_call.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTimer>

#include <csignal>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ui::shell {

QString cliPath() {
  if (const QString chosen = qEnvironmentVariable("TILESCOPE_CLI"); !chosen.isEmpty()) return chosen;
  const QString name = QStringLiteral("tilescope-cli");
  const QString beside = QCoreApplication::applicationDirPath() + '/' + name;
  return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(name);
}

reports::Error cliMissing() {
  return {reports::ErrorCode::NotFound, "tilescope-cli could not be started", cliPath().toStdString(),
          "install it beside this program or on the path"};
}

void endWithWindow(QProcess& process, int nicer) {
  process.setChildProcessModifier([nicer] {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    umask(077); // files of runs and imports are private to the user
    if (nicer > 0) (void)!nice(nicer);
  });
}

CliCall::CliCall(const QStringList& arguments, std::function<void(const QJsonDocument&)> done,
                 std::function<void(const reports::Error&)> failed, QObject* parent, int nicer)
    : QObject(parent), m_done(std::move(done)), m_failed(std::move(failed)) {
  connect(&m_process, &QProcess::finished, this, &CliCall::finish);
  connect(&m_process, &QProcess::readyReadStandardError, this, &CliCall::read);
  connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return; // after a crash, `finished` is emitted too
    m_failed(cliMissing());
    deleteLater();
  });
  endWithWindow(m_process, nicer);
  // Started from the event loop, so that `failed` is never called before the constructor has returned.
  QMetaObject::invokeMethod(
      this, [this, arguments] { m_process.start(cliPath(), arguments, QIODevice::ReadOnly); }, Qt::QueuedConnection);
}

void CliCall::endAfter(std::chrono::milliseconds time) {
  QTimer::singleShot(time, this, [this] { m_process.kill(); });
}

CliCall::~CliCall() {
  m_process.disconnect(this);
  if (m_process.state() == QProcess::NotRunning) return;
  m_process.kill();
  m_process.waitForFinished(1000);
}

void CliCall::read() {
  m_errors += m_process.readAllStandardError();
  for (qsizetype end; (end = m_errors.indexOf('\n', m_saidTo)) >= 0; m_saidTo = end + 1)
    emit said(m_errors.mid(m_saidTo, end - m_saidTo));
}

void CliCall::finish(int code, QProcess::ExitStatus status) {
  read();
  const QJsonDocument answer = QJsonDocument::fromJson(m_process.readAllStandardOutput());
  if (status == QProcess::NormalExit && code <= 1 && !answer.isNull())
    m_done(answer);
  else
    m_failed({reports::ErrorCode::Internal, "tilescope-cli gave no answer", m_errors.trimmed().toStdString(),
              "run it in a terminal to see why"});
  deleteLater();
}

} // namespace ui::shell
