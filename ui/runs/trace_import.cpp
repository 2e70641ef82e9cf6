#include "ui/runs/trace_import.h"

#include "ui/runs/cli_run.h"
#include "ui/theme/whole_file.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace ui::shell {

namespace {

constexpr int kKeptDays = 30; // days without use after which a cached import is made again

// A separate folder for each state of each file, so that the report keeps the name of the trace.
QString reportPath(const QString& file) {
  const QFileInfo info(file);
  const QString state = info.absoluteFilePath() + '\n' + QString::number(info.size()) + '\n' +
                        QString::number(info.lastModified().toMSecsSinceEpoch());
  const QByteArray key = QCryptographicHash::hash(state.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
  const QString folder =
      QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + QStringLiteral("/tilescope/imports/");
  return folder + QString::fromLatin1(key) + '/' + info.fileName() + QStringLiteral(".tsr");
}

void removeOldImports(const QString& report) {
  QDir imports(QFileInfo(report).absolutePath());
  imports.cdUp();
  for (const QFileInfo& folder : imports.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot))
    if (folder.lastModified().daysTo(QDateTime::currentDateTime()) > kKeptDays)
      QDir(folder.absoluteFilePath()).removeRecursively();
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
  theme::makePrivateFolder(QFileInfo(report).absolutePath());
  importInto(file, report, stop, progress);
  return report;
}

void importInto(const QString& file, const QString& report, const std::stop_token& stop, reports::Progress& progress) {
  if (!QDir().mkpath(QFileInfo(report).absolutePath()))
    throw reports::Error(reports::ErrorCode::Io, "cannot make a folder for the import",
                         QFileInfo(report).absolutePath().toStdString(), "look at the rights of the cache folder");
  runCli({QStringLiteral("import"), file, QStringLiteral("-o"), report}, file, stop, progress);
}

} // namespace ui::shell
