#include "ui/views/run/run_estimate.h"

#include "ui/runs/cli_call.h"

#include <QJsonDocument>

namespace ui::run {

namespace {

constexpr int kPauseMilliseconds = 400; // pause in typing
constexpr int kWaitedFor = 10'000;      // milliseconds
constexpr int kNice = 10;               // runs and the window have priority

// Removes output files, which a dry run rejects.
QStringList dryRun(const RunRequest& run) {
  RunRequest request = run.withoutOutputs();
  request.numbers = true;
  return request.words() + QStringList{QStringLiteral("--dry-run"), QStringLiteral("--json")};
}

} // namespace

RunEstimate::RunEstimate(QObject* parent) : QObject(parent) {
  m_wait.setSingleShot(true);
  m_wait.setInterval(kPauseMilliseconds);
  connect(&m_wait, &QTimer::timeout, this, &RunEstimate::start);
}

RunEstimate::~RunEstimate() { end(); }

void RunEstimate::ask(const QString& program, const RunRequest& request) {
  const QStringList arguments = dryRun(request);
  if (program == m_program && arguments == m_arguments) return;
  m_program = program, m_arguments = arguments;
  end();
  emit asked();
  m_wait.start();
  m_since.start();
  emit busyChanged();
}

bool RunEstimate::isBusy() const { return (m_wait.isActive() || m_process) && !m_since.hasExpired(kWaitedFor); }

void RunEstimate::cancel() {
  m_wait.stop();
  end();
  m_arguments.clear();
  emit busyChanged();
}

void RunEstimate::end() {
  QProcess* process = std::exchange(m_process, nullptr);
  if (!process) return;
  process->disconnect(this);
  process->kill(); // the process writes no files
  process->waitForFinished(1000);
  process->deleteLater();
}

void RunEstimate::start() {
  m_errors.clear(), m_lastLine.clear();
  m_process = new QProcess(this);
  connect(m_process, &QProcess::readyReadStandardError, this, &RunEstimate::read);
  connect(m_process, &QProcess::finished, this, &RunEstimate::finish);
  connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    std::exchange(m_process, nullptr)->deleteLater();
    emit failed(tr("tilescope-cli could not be started"));
    emit busyChanged();
  });
  shell::endWithWindow(*m_process, kNice);
  emit begun();
  m_process->start(m_program, m_arguments, QIODevice::ReadOnly);
}

void RunEstimate::read() {
  m_errors += m_process->readAllStandardError();
  for (qsizetype end = m_errors.indexOf('\n'); end >= 0; end = m_errors.indexOf('\n')) {
    const QByteArray line = m_errors.left(end).trimmed();
    m_errors.remove(0, end + 1);
    if (const ProgressLine progress = parseProgress(line); !progress.phase.isEmpty())
      emit progressed(progress.phase, progress.fraction);
    else if (!line.isEmpty())
      m_lastLine = QString::fromUtf8(line);
  }
}

void RunEstimate::finish(int code, QProcess::ExitStatus status) {
  read();
  QProcess* process = std::exchange(m_process, nullptr);
  const auto estimate = shell::dryRunOf(QJsonDocument::fromJson(process->readAllStandardOutput()));
  process->deleteLater();
  if (status == QProcess::NormalExit && code <= 1 && estimate)
    emit estimated(*estimate);
  else
    emit failed(m_lastLine.isEmpty() ? tr("tilescope-cli gave no answer")
                                     : QString(m_lastLine).remove(QStringLiteral("tilescope-cli: ")));
  emit busyChanged();
}

} // namespace ui::run
