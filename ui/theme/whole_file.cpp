#include "ui/theme/whole_file.h"

#include <QDir>
#include <QFile>
#include <QObject>
#include <QSaveFile>

namespace ui::theme {

QString writeWhole(const QString& file, const QByteArray& bytes) {
  QSaveFile out(file);
  // commit() alone reports success for a buffer that does not fit on the disk.
  if (out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size() && out.flush() && out.commit()) return {};
  // Qt does not treat a write that stops halfway as an error; it only returns fewer bytes.
  const QString why = out.error() == QFileDevice::NoError ? QObject::tr("the disk is full") : out.errorString();
  out.cancelWriting();
  return why;
}

bool makePrivateFolder(const QString& folder) {
  if (!QDir().mkpath(folder)) return false;
  QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  return true;
}

} // namespace ui::theme
