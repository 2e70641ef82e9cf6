#include "ui/theme/whole_file.h"

#include <QDir>
#include <QFile>
#include <QObject>
#include <QSaveFile>

namespace ui::theme {

namespace {

constexpr qint64 kBlock = 4 * 1024 * 1024; // bytes copied at a time

// Qt does not treat a write that stops halfway as an error; it only returns fewer bytes.
QString reasonOf(const QFileDevice& file) {
  return file.error() == QFileDevice::NoError ? QObject::tr("the disk is full") : file.errorString();
}

QString discard(QSaveFile& out, const QString& why) {
  out.cancelWriting();
  return why;
}

} // namespace

QString writeWhole(const QString& file, const QByteArray& bytes) {
  QSaveFile out(file);
  // commit() alone reports success for a buffer that does not fit on the disk.
  if (out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size() && out.flush() && out.commit()) return {};
  return discard(out, reasonOf(out));
}

QString copyWhole(const QString& from, const QString& to, const std::stop_token& stop) {
  QFile in(from);
  if (!in.open(QIODevice::ReadOnly)) return in.errorString();
  QSaveFile out(to);
  if (!out.open(QIODevice::WriteOnly)) return discard(out, reasonOf(out));
  while (!in.atEnd()) {
    if (stop.stop_requested()) return discard(out, QObject::tr("the copy was stopped"));
    const QByteArray block = in.read(kBlock);
    if (block.isEmpty()) return discard(out, in.errorString());
    if (out.write(block) != block.size()) return discard(out, reasonOf(out));
  }
  if (out.flush() && out.commit()) return {};
  return discard(out, reasonOf(out));
}

bool makePrivateFolder(const QString& folder) {
  if (!QDir().mkpath(folder)) return false;
  QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  return true;
}

} // namespace ui::theme
