// Settings kept between sessions, in one INI file under the user's configuration folder. A damaged file means
// defaults, never a failed start.
#pragma once

#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <QSettings>
#include <QStringList>

#include <functional>
#include <vector>

namespace ui::shell {

class Settings {
public:
  // An empty path: the default file.
  explicit Settings(const QString& path = {});

  theme::Scheme scheme() const;
  void setScheme(theme::Scheme scheme);
  theme::Units units() const;
  void setUnits(theme::Units units);
  int pointSize() const; // of text
  void setPointSize(int points);
  theme::Scale scale() const;
  void setScale(theme::Scale scale);
  int tilesPerRow() const; // of a tile map; 0: as on the chip
  void setTilesPerRow(int tiles);
  QString saveFolder() const; // the folder of the last save; empty: none yet
  void setSaveFolder(const QString& folder);
  bool railFolded() const;
  void setRailFolded(bool folded);
  QByteArray geometry() const;
  void setGeometry(const QByteArray& geometry);

  // The tabs of reports that a window had open. Each process stores its own session, so two windows leave two. endedSessions()
  // lists sessions of ended processes, newest first, without those of other computers that share the settings. A session stays
  // until it is forgotten; if there are too many, the oldest are dropped.
  struct Session {
    QString process;
    QList<QStringList> tabs;
  };
  std::vector<Session> endedSessions();
  void setSession(const QList<QStringList>& tabs, const QString& process = thisProcess()); // empty: none
  void closeSession(const QList<QStringList>& tabs); // call when the window of this process was closed
  void forgetSession(const QString& process);
  static QString thisProcess();
  // The key for values of the view state of these reports. The values are removed when the list of recent reports drops the
  // files.
  static QString placeKey(const QStringList& files);
  // Whether a report opens at the location where it was closed.
  bool remembersPlaces() const;
  void setRemembersPlaces(bool remembers);
  QString path() const { return m_store.fileName(); }

  // Newest first, up to the remembered number; a comparison is an entry of two files.
  static constexpr int kMostRecent = 64;
  int recentCount() const;
  void setRecentCount(int count);
  QList<QStringList> recent() const;
  void addRecent(const QStringList& files);
  void removeRecent(const QStringList& files);
  void clearRecent();

  // Small values of one view, e.g. value("run/machine").
  QVariant value(const QString& key, const QVariant& fallback = {}) const;
  void setValue(const QString& key, const QVariant& value);
  void remove(const QString& key); // a value, or a whole group

private:
  void changeRecent(const std::function<void(QList<QStringList>&)>& change);
  mutable QSettings m_store;
};

} // namespace ui::shell
