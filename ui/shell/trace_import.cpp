#include "ui/shell/trace_import.h"

#include "ui/shell/cli_call.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>

namespace ui::shell {

namespace {

constexpr int kLookMs = 50, kExitMs = 2000;
constexpr int kKeptDays = 30; // an import that nobody opened for so long is made again

// A folder of its own for each state of each file, so that the report keeps the name of the trace.
QString reportPath(const QString& file) {
  const QFileInfo info(file);
  const QString state = info.absoluteFilePath() + '\n' + QString::number(info.size()) + '\n' +
                        QString::number(info.lastModified().toMSecsSinceEpoch());
  const QByteArray key = QCryptographicHash::hash(state.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::CacheLocation) + QStringLiteral("/imports/");
  return folder + QString::fromLatin1(key) + '/' + info.fileName() + QStringLiteral(".tsr");
}

void removeOldImports(const QString& report) {
  QDir imports(QFileInfo(report).absolutePath());
  imports.cdUp();
  for (const QFileInfo& folder : imports.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot))
    if (folder.lastModified().daysTo(QDateTime::currentDateTime()) > kKeptDays)
      QDir(folder.absoluteFilePath()).removeRecursively();
}

// The lines of the child: progress is passed on, the last of the others is kept.
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

// Runs tilescope-cli to its end and returns its standard output. Throws its last line of standard error when it fails.
QByteArray runCli(QStringList arguments, const QString& file, const std::stop_token& stop, reports::Progress& progress) {
  arguments << QStringLiteral("--progress") << QStringLiteral("json");
  QProcess process;
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

} // namespace

bool isTraceFile(const QString& file) {
  const QFileInfo info(file);
  if (!info.isFile() || info.size() == 0 || file.endsWith(QStringLiteral(".tsr"), Qt::CaseInsensitive)) return false;
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) return false;
  constexpr int kHeader = 72, kApplicationId = 68; // of an SQLite file; a report's says TSCP (SCHEMA.md)
  const QByteArray head = in.read(kHeader);
  return !head.startsWith("SQLite format 3") || head.mid(kApplicationId, 4) != "TSCP";
}

QString importTrace(const QString& file, const std::stop_token& stop, reports::Progress& progress) {
  const QString report = reportPath(file);
  if (QFileInfo::exists(report)) return report;
  removeOldImports(report);
  importInto(file, report, stop, progress);
  return report;
}

void importInto(const QString& file, const QString& report, const std::stop_token& stop, reports::Progress& progress) {
  if (!QDir().mkpath(QFileInfo(report).absolutePath()))
    throw reports::Error(reports::ErrorCode::Io, "cannot make a folder for the import",
                         QFileInfo(report).absolutePath().toStdString(), "look at the rights of the cache folder");
  runCli({QStringLiteral("import"), file, QStringLiteral("-o"), report}, file, stop, progress);
}

bool isRemoteFile(const QString& file) { return file.startsWith(QStringLiteral("ssh://")); }

QString wholeName(const QString& file) { return isRemoteFile(file) ? file : QFileInfo(file).absoluteFilePath(); }

QString localCopy(const QString& file, const std::stop_token& stop, reports::Progress& progress) {
  if (!isRemoteFile(file)) return file;
  return QString::fromUtf8(runCli({QStringLiteral("fetch"), file}, file, stop, progress)).trimmed();
}

} // namespace ui::shell
