#include "ui/runs/trace_import.h"

#include "reports/core/sqlite_head.h"
#include "ui/runs/cli_run.h"
#include "ui/theme/whole_file.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include <filesystem>

namespace ui::shell {

namespace {

constexpr int kKeptDays = 30; // days without use after which a cached import is made again

QString importsFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + QStringLiteral("/tilescope/imports/");
}

// Changes whenever the file does.
QString stateOf(const QString& file) {
  const QFileInfo info(file);
  return info.absoluteFilePath() + '\n' + QString::number(info.size()) + '\n' +
         QString::number(info.lastModified().toMSecsSinceEpoch());
}

// A separate folder for each state, so that the report keeps its name.
QString reportPath(const QString& state, const QString& name) {
  const QByteArray key = QCryptographicHash::hash(state.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
  return importsFolder() + QString::fromLatin1(key) + '/' + name + QStringLiteral(".tsr");
}

void removeOldImports() {
  const QDir imports(importsFolder());
  for (const QFileInfo& folder : imports.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot))
    if (folder.lastModified().daysTo(QDateTime::currentDateTime()) > kKeptDays)
      QDir(folder.absoluteFilePath()).removeRecursively();
}

void makeFolderOf(const QString& report) {
  if (!QDir().mkpath(QFileInfo(report).absolutePath()))
    throw reports::Error(reports::ErrorCode::Io, "cannot make a folder for the import",
                         QFileInfo(report).absolutePath().toStdString(), "check the permissions of the cache folder");
}

} // namespace

bool isTraceFile(const QString& file) {
  const QFileInfo info(file);
  if (!info.isFile() || info.size() == 0 || file.endsWith(QStringLiteral(".tsr"), Qt::CaseInsensitive)) return false;
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) return false;
  return !reports::isReportHead(in.read(reports::kSqliteHeadBytes).toStdString());
}

QString importTrace(const QString& file, const std::stop_token& stop, reports::Progress& progress) {
  const QString report = reportPath(stateOf(file), QFileInfo(file).fileName());
  if (QFileInfo::exists(report)) return report;
  removeOldImports();
  theme::makePrivateFolder(QFileInfo(report).absolutePath());
  importInto(file, report, stop, progress);
  return report;
}

void importInto(const QString& file, const QString& report, const std::stop_token& stop, reports::Progress& progress) {
  makeFolderOf(report);
  runCli({QStringLiteral("import"), file, QStringLiteral("-o"), report}, file, stop, progress);
}

// Names the report after the first files: "resnet50 + host.json". Imports every time, because the counts that the import prints
// are not cached.
LaidTraces importGroup(const TraceGroup& group, const std::stop_token& stop, reports::Progress& progress) {
  const QString align = group.fromStart ? QStringLiteral("start") : QStringLiteral("absolute");
  QStringList states{align, group.runs}, names, words{QStringLiteral("import")};
  if (!group.device.isEmpty()) {
    states << stateOf(group.device), names << QFileInfo(group.device).completeBaseName();
    words << QStringLiteral("--device") << group.device << QStringLiteral("--runs") << group.runs;
  }
  for (const QString& file : group.files) states << stateOf(file), names << QFileInfo(file).fileName(), words << file;
  constexpr int kMostNames = 3;
  if (names.size() > kMostNames) names = names.mid(0, kMostNames) << QStringLiteral("…");
  LaidTraces laid{reportPath(states.join('\n'), names.join(QStringLiteral(" + ")).left(80))};
  removeOldImports();
  theme::makePrivateFolder(QFileInfo(laid.report).absolutePath());
  makeFolderOf(laid.report);
  words << QStringLiteral("--align") << align << QStringLiteral("--json") << QStringLiteral("-o") << laid.report;
  const QByteArray said = runCli(words, group.files.value(0), stop, progress);
  const QJsonObject runs = QJsonDocument::fromJson(said).object().value(QStringLiteral("laid")).toObject();
  laid.slices = runs.value(QStringLiteral("slices")).toInteger(), laid.runs = runs.value(QStringLiteral("runs")).toInteger();
  return laid;
}

void noteUse(const QString& report) {
  const QString folder = QFileInfo(report).absolutePath();
  std::error_code ignored; // if the folder belongs to another user its time stays, and the import may be removed earlier
  if (folder.startsWith(importsFolder()))
    std::filesystem::last_write_time(folder.toStdString(), std::filesystem::file_time_type::clock::now(), ignored);
}

} // namespace ui::shell
