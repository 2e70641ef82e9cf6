#include "ui/window/file_watch.h"

#include <QFileInfo>

#include <utility>

namespace ui::shell {

namespace {
constexpr int kQuietMilliseconds = 250;
}

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
  m_quiet.setSingleShot(true);
  m_quiet.setInterval(kQuietMilliseconds);
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_quiet, qOverload<>(&QTimer::start));
  connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_quiet, qOverload<>(&QTimer::start));
  connect(&m_quiet, &QTimer::timeout, this, &FileWatch::look);
}

FileWatch::Stamp FileWatch::stampOf(const QString& file) {
  const QFileInfo info(file);
  return info.exists() ? Stamp{info.lastModified(), info.size()} : Stamp{};
}

void FileWatch::setFiles(const QStringList& files) {
  const QStringList old = m_watcher.files() + m_watcher.directories();
  if (!old.isEmpty()) m_watcher.removePaths(old);
  m_stamps.clear();
  for (const QString& file : files) {
    m_stamps[file] = stampOf(file);
    m_watcher.addPath(file);
    m_watcher.addPath(QFileInfo(file).absolutePath());
  }
}

void FileWatch::look() {
  const QStringList watched = m_watcher.files();
  for (auto& [file, stamp] : m_stamps) {
    if (!watched.contains(file)) m_watcher.addPath(file);
    const Stamp now = stampOf(file);
    if (now.size < 0) {
      // The file may be between two renames, so it is checked again after another pause.
      if (!std::exchange(stamp.isGone, true))
        m_quiet.start();
      else if (!stamp.isTold)
        stamp.isTold = true, emit removed(file);
      continue;
    }
    const bool same = now.modified == stamp.modified && now.size == stamp.size;
    stamp = now;
    if (!same) emit changed(file);
  }
}

} // namespace ui::shell
