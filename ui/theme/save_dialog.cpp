#include "ui/theme/save_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <utility>

namespace ui::theme {

namespace {

struct SaveFolder {
  QString path; // empty: the user has saved nothing yet
  std::function<void(const QString&)> changed;
};

SaveFolder& saveFolder() {
  static SaveFolder folder;
  return folder;
}

} // namespace

QString saveFileName(QWidget* parent, const QString& title, const QString& proposed, const QString& filter) {
  const QString last = saveFolder().path;
  const bool isThere = !last.isEmpty() && QFileInfo(last).isDir();
  const QString start = isThere ? QDir(last).filePath(QFileInfo(proposed).fileName()) : proposed;
  const QString file = QFileDialog::getSaveFileName(parent, title, start, filter);
  if (file.isEmpty()) return {};
  if (const QString folder = QFileInfo(file).absolutePath(); folder != last) {
    saveFolder().path = folder;
    if (saveFolder().changed) saveFolder().changed(folder);
  }
  return file;
}

void keepSaveFolder(const QString& folder, std::function<void(const QString&)> changed) {
  saveFolder() = {folder, std::move(changed)};
}

} // namespace ui::theme
