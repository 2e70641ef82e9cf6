// Signals when an open report changed on disk. A report is replaced by rename, after which a watch on the file alone is lost, so
// the folder is watched too and the watch on the file is renewed.
#pragma once

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <map>

namespace ui::shell {

class FileWatch : public QObject {
  Q_OBJECT

public:
  explicit FileWatch(QObject* parent = nullptr);
  void setFiles(const QStringList& files);

signals:
  // Once per change, after the file has been quiet for a moment.
  void changed(const QString& file);
  // The file was removed and did not come back within a moment, as it does when a rename replaces it.
  void removed(const QString& file);

private:
  struct Stamp {
    QDateTime modified;
    qint64 size = -1;
    bool isGone = false, isTold = false; // missing at the last check; reported as missing
  };
  static Stamp stampOf(const QString& file);
  void look();
  QFileSystemWatcher m_watcher;
  QTimer m_quiet;
  std::map<QString, Stamp> m_stamps;
};

} // namespace ui::shell
