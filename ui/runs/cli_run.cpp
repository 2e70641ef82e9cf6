#include "ui/runs/cli_run.h"

#include "ui/runs/cli_call.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

namespace ui::shell {

namespace {

constexpr int kLookMs = 50, kExitMs = 2000;

// Reads lines of the child: passes progress on, and keeps the last other line in `lastLine`.
void takeLines(QProcess& process, reports::Progress& progress, QString& phase, QString& lastLine) {
  process.setReadChannel(QProcess::StandardError);
  while (process.canReadLine()) {
    const QByteArray line = process.readLine().trimmed();
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    if (!object.contains(QStringLiteral("phase"))) {
      if (!line.isEmpty()) lastLine = QString::fromUtf8(line);
      continue;
    }
    if (const QString name = object[QStringLiteral("phase")].toString(); name != phase)
      progress.phase((phase = name).toStdString());
    progress.update(object[QStringLiteral("fraction")].toDouble());
  }
}

} // namespace

QByteArray runCli(QStringList arguments, const QString& file, const std::stop_token& stop, reports::Progress& progress) {
  arguments << QStringLiteral("--progress") << QStringLiteral("json");
  QProcess process;
  endWithWindow(process);
  process.start(cliPath(), arguments, QIODevice::ReadOnly);
  if (!process.waitForStarted()) throw cliMissing();
  QString phase, lastLine;
  while (process.state() != QProcess::NotRunning) {
    process.waitForReadyRead(kLookMs);
    takeLines(process, progress, phase, lastLine);
    if (!stop.stop_requested()) continue;
    process.terminate();
    if (!process.waitForFinished(kExitMs)) process.kill(), process.waitForFinished(kExitMs);
    throw reports::Cancelled();
  }
  takeLines(process, progress, phase, lastLine);
  if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0) return process.readAllStandardOutput();
  if (lastLine.startsWith(QStringLiteral("tilescope-cli: "))) lastLine.remove(0, 15);
  throw reports::Error(reports::ErrorCode::InvalidInput,
                       lastLine.isEmpty() ? "tilescope-cli ended without a message" : lastLine.toStdString(),
                       lastLine.isEmpty() ? file.toStdString() : "");
}

} // namespace ui::shell
