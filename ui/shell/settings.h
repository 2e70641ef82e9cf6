// What is remembered between sessions, in one INI file under the user's configuration folder. A damaged file means
// defaults, never a failed start.
#pragma once

#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <QSettings>
#include <QStringList>

namespace ui::shell {

class Settings {
public:
  // An empty path: the standard place.
  explicit Settings(const QString& path = {});

  theme::Scheme scheme() const;
  void setScheme(theme::Scheme scheme);
  theme::Units units() const;
  void setUnits(theme::Units units);
  bool railFolded() const;
  void setRailFolded(bool folded);
  QByteArray geometry() const;
  void setGeometry(const QByteArray& geometry);

  // Newest first, at most 64 entries; a comparison is an entry of two files.
  QList<QStringList> recent() const;
  void addRecent(const QStringList& files);
  void removeRecent(const QStringList& files);
  void clearRecent();

  // Small values of one view, e.g. value("run/machine").
  QVariant value(const QString& key, const QVariant& fallback = {}) const;
  void setValue(const QString& key, const QVariant& value);

private:
  mutable QSettings m_store;
};

} // namespace ui::shell
