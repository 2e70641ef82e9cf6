#include "ui/runs/remote_files.h"

#include "ui/runs/cli_run.h"
#include "ui/state/report_file.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace ui::shell {

namespace {
RemoteEntry entryOf(const QJsonObject& object) {
  const QString kind = object[QStringLiteral("kind")].toString();
  return {object[QStringLiteral("name")].toString(), object[QStringLiteral("modified")].toString(),
          object[QStringLiteral("address")].toString(),
          kind == QStringLiteral("folder") ? RemoteEntry::Kind::Folder
          : kind == QStringLiteral("link") ? RemoteEntry::Kind::Link
                                           : RemoteEntry::Kind::File,
          qint64(object[QStringLiteral("bytes")].toDouble())};
}
} // namespace

QString localCopy(const QString& file, bool reload, const std::stop_token& stop, reports::Progress& progress) {
  if (!isRemoteFile(file)) return file;
  QStringList words{QStringLiteral("fetch"), file};
  if (reload) words << QStringLiteral("--reload");
  return QString::fromUtf8(runCli(words, file, stop, progress)).trimmed();
}

std::vector<RemoteEntry> remoteEntries(const QString& address, const std::stop_token& stop, reports::Progress& progress) {
  const QStringList arguments{QStringLiteral("fetch"), address, QStringLiteral("--list"), QStringLiteral("--json")};
  const QJsonDocument answer = QJsonDocument::fromJson(runCli(arguments, address, stop, progress));
  if (!answer.isArray())
    throw reports::Error(reports::ErrorCode::Internal, "tilescope-cli returned no JSON list", address.toStdString(),
                         "install window and command line from the same release");
  std::vector<RemoteEntry> entries;
  for (const QJsonValue value : answer.array()) entries.push_back(entryOf(value.toObject()));
  std::stable_sort(entries.begin(), entries.end(), [](const RemoteEntry& a, const RemoteEntry& b) {
    const bool first = a.kind == RemoteEntry::Kind::Folder, second = b.kind == RemoteEntry::Kind::Folder;
    return first != second ? first : a.name.compare(b.name, Qt::CaseInsensitive) < 0;
  });
  return entries;
}

QString remoteAddress(const QString& typed) {
  QString address = typed.trimmed();
  if (address.isEmpty()) return {};
  if (!isRemoteFile(address)) address.prepend(kRemoteScheme);
  if (!address.mid(kRemoteScheme.size()).contains('/')) address += QStringLiteral("/~/");
  return address;
}

QString remoteParent(const QString& address) {
  const qsizetype root = address.indexOf('/', kRemoteScheme.size());
  if (root < 0) return address;
  QString path = address.mid(root);
  while (path.size() > 1 && path.endsWith('/')) path.chop(1);
  const qsizetype slash = path.lastIndexOf('/');
  path.truncate(std::max<qsizetype>(slash, 1));
  if (path == QStringLiteral("/~")) path += '/'; // the home folder
  return address.left(root) + path;
}

} // namespace ui::shell
