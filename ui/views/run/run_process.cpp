#include "ui/views/run/run_process.h"

#include "ui/runs/cli_call.h"

namespace ui::run {

namespace {
constexpr int kEndMilliseconds = 2000; // between a request to end and a kill of the child
constexpr qsizetype kLongestLine = 1 << 16;
} // namespace

RunProcess::RunProcess(QObject* parent) : QObject(parent) {
  connect(&m_process, &QProcess::readyReadStandardError, this, &RunProcess::readErrors);
  connect(&m_process, &QProcess::readyReadStandardOutput, this, &RunProcess::readOutput);
  connect(&m_process, &QProcess::finished, this, &RunProcess::finish);
  connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    m_elapsed = m_clock.elapsed();
    m_lastLine = tr("tilescope-cli could not be started: install it beside this program or on the path");
    emit ended(Outcome::Failed);
  });
}

RunProcess::~RunProcess() {
  m_process.disconnect(this);
  if (!isRunning()) return;
  m_process.terminate();
  if (!m_process.waitForFinished(kEndMilliseconds)) m_process.kill(), m_process.waitForFinished(kEndMilliseconds);
}

void RunProcess::start(const QString& program, const RunRequest& request) {
  m_request = request;
  m_rest.clear(), m_outputRest.clear(), m_lastLine.clear();
  m_cancelled = false;
  m_elapsed = 0;
  m_clock.start();
  shell::endWithWindow(m_process);
  m_process.start(program, request.words(), QIODevice::ReadOnly);
}

void RunProcess::cancel() {
  if (!isRunning()) return;
  m_cancelled = true;
  m_process.terminate();
  QTimer::singleShot(kEndMilliseconds, &m_process, [this] {
    if (m_cancelled && isRunning()) m_process.kill();
  });
}

double RunProcess::seconds() const { return double(isRunning() ? m_clock.elapsed() : m_elapsed) / 1000; }

// Passes all complete lines on together, because a program may print many.
void RunProcess::readOutput() {
  m_outputRest += m_process.readAllStandardOutput();
  qsizetype end = m_outputRest.lastIndexOf('\n');
  if (end < 0 && m_outputRest.size() > kLongestLine) end = m_outputRest.size();
  if (end < 0) return;
  emit said(QString::fromUtf8(m_outputRest.left(end)));
  m_outputRest.remove(0, end + 1);
}

void RunProcess::readErrors() {
  m_rest += m_process.readAllStandardError();
  QStringList lines;
  qsizetype from = 0;
  for (qsizetype end = m_rest.indexOf('\n'); end >= 0; end = m_rest.indexOf('\n', from)) {
    takeLine(m_rest.mid(from, end - from), lines);
    from = end + 1;
  }
  m_rest.remove(0, from);
  if (m_rest.size() > kLongestLine) takeLine(std::exchange(m_rest, {}), lines);
  if (!lines.isEmpty()) emit said(lines.join('\n'));
}

// Reports a line of progress at once; adds any other line to `lines`.
void RunProcess::takeLine(const QByteArray& line, QStringList& lines) {
  if (line.trimmed().isEmpty()) return;
  const ProgressLine progress = parseProgress(line);
  if (!progress.phase.isEmpty()) {
    emit progressed(progress.phase, progress.fraction);
    return;
  }
  m_lastLine = QString::fromUtf8(line.trimmed());
  lines.append(QString::fromUtf8(line));
}

void RunProcess::finish(int code, QProcess::ExitStatus status) {
  readErrors();
  readOutput();
  QStringList last;
  takeLine(std::exchange(m_rest, {}), last);
  if (!last.isEmpty()) emit said(last.join('\n'));
  if (!m_outputRest.isEmpty()) emit said(QString::fromUtf8(std::exchange(m_outputRest, {})));
  m_elapsed = m_clock.elapsed();
  if (m_cancelled)
    emit ended(Outcome::Cancelled);
  else if (status == QProcess::CrashExit)
    emit ended(Outcome::Crashed);
  else
    emit ended(code == 0 ? Outcome::Finished : code == 1 ? Outcome::DoesNotFit : Outcome::Failed);
}

} // namespace ui::run
