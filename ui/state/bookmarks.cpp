#include "ui/state/bookmarks.h"
#include "ui/theme/whole_file.h"

#include "reports/core/error.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ui::shell {

namespace {

constexpr qint64 kMostFileBytes = 16 * 1024 * 1024;
constexpr int kMostBookmarks = 10'000;
constexpr std::size_t kMostTiles = 8'000'000; // most selected tiles in all bookmarks together: 32 MB

[[noreturn]] void fail(reports::ErrorCode code, const QString& what, const QString& file, const char* advice) {
  throw reports::Error(code, what.toStdString(), file.toStdString(), advice);
}

} // namespace

QString bookmarkFile(const QString& report) { return report + QStringLiteral(".bookmarks.json"); }

std::vector<Bookmark> readBookmarks(const QString& path) {
  QFile file(path);
  if (!file.exists()) return {};
  if (!QFileInfo(path).isFile()) // opening a FIFO would wait for a writer
    fail(reports::ErrorCode::InvalidInput, QObject::tr("this is not a regular file"), path, "move it away");
  if (!file.open(QIODevice::ReadOnly))
    fail(reports::ErrorCode::Io, QObject::tr("the bookmarks cannot be read: %1").arg(file.errorString()), path,
         "check the permissions of the file");
  if (file.size() > kMostFileBytes)
    fail(reports::ErrorCode::InvalidInput, QObject::tr("the file is too long to be a list of bookmarks"), path,
         "choose a file that Tilescope wrote");
  QJsonParseError problem;
  const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &problem);
  const QJsonValue list = document.object().value("bookmarks");
  if (!list.isArray())
    fail(reports::ErrorCode::InvalidInput,
         problem.error != QJsonParseError::NoError ? QObject::tr("this is not valid JSON: %1").arg(problem.errorString())
                                                   : QObject::tr("the list \"bookmarks\" is missing"),
         path, "choose a file that Tilescope wrote, or move this one away");
  std::vector<Bookmark> bookmarks;
  std::size_t tiles = 0; // a few letters can name 250,000 tiles
  for (const QJsonValue value : list.toArray()) {
    const QJsonObject object = value.toObject();
    if (int(bookmarks.size()) >= kMostBookmarks || tiles > kMostTiles) break; // reading the rest would take a minute
    const auto link = parseLink(object.value("link").toString());
    if (link) tiles += link->place.tiles.size();
    if (link && tiles <= kMostTiles)
      bookmarks.push_back(
          {object.value("note").toString(), *link, QDateTime::fromString(object.value("made").toString(), Qt::ISODate)});
  }
  return bookmarks;
}

void writeBookmarks(const QString& path, const std::vector<Bookmark>& bookmarks) {
  if (QFileInfo(path).isSymLink()) // a stranger may have sent the link together with the report
    fail(reports::ErrorCode::InvalidInput, QObject::tr("is a symbolic link, and its target would be replaced"), path,
         "remove the link first");
  if (bookmarks.empty() && (!QFile::exists(path) || QFile::remove(path))) return;
  QJsonArray list;
  for (const Bookmark& b : bookmarks)
    list.append(QJsonObject{{"note", b.note}, {"link", linkText(b.link)}, {"made", b.made.toString(Qt::ISODate)}});
  const QByteArray text = QJsonDocument(QJsonObject{{"bookmarks", list}}).toJson();
  if (const QString why = theme::writeWhole(path, text); !why.isEmpty())
    fail(reports::ErrorCode::Io, QObject::tr("the bookmarks cannot be written: %1").arg(why), path,
         "make the folder of the report writable");
}

} // namespace ui::shell
