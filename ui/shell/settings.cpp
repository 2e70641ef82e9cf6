#include "ui/shell/settings.h"

#include <QFileInfo>
#include <QStandardPaths>

namespace ui::shell {

namespace {
constexpr int kVersion = 1;
constexpr int kMaxRecent = 64;

QString standardPath() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/tilescope/tilescope.ini");
}

template<class Enum> Enum enumValue(const QVariant& stored, Enum fallback, int last) {
  bool ok = false;
  const int v = stored.toInt(&ok);
  return ok && v >= 0 && v <= last ? Enum(v) : fallback;
}
} // namespace

Settings::Settings(const QString& path) : m_store(path.isEmpty() ? standardPath() : path, QSettings::IniFormat) {
  if (m_store.status() == QSettings::FormatError) m_store.clear();
  m_store.setValue(QStringLiteral("version"), kVersion);
}

theme::Scheme Settings::scheme() const { return enumValue(m_store.value("look/scheme"), theme::Scheme::System, 2); }
void Settings::setScheme(theme::Scheme scheme) { m_store.setValue("look/scheme", int(scheme)); }

theme::Units Settings::units() const {
  return {enumValue(m_store.value("look/time"), theme::TimeUnit::Cycles, 1),
          enumValue(m_store.value("look/memory"), theme::MemoryUnit::Binary, 2)};
}

void Settings::setUnits(theme::Units units) {
  m_store.setValue("look/time", int(units.time));
  m_store.setValue("look/memory", int(units.memory));
}

bool Settings::railFolded() const { return m_store.value("window/rail_folded", false).toBool(); }
void Settings::setRailFolded(bool folded) { m_store.setValue("window/rail_folded", folded); }
QByteArray Settings::geometry() const { return m_store.value("window/geometry").toByteArray(); }
void Settings::setGeometry(const QByteArray& geometry) { m_store.setValue("window/geometry", geometry); }

QList<QStringList> Settings::recent() const {
  QList<QStringList> list;
  const int size = m_store.beginReadArray("recent");
  for (int i = 0; i < std::min(size, kMaxRecent); ++i) {
    m_store.setArrayIndex(i);
    const QStringList files = m_store.value("files").toStringList();
    if (files.size() == 1 || files.size() == 2) list.append(files);
  }
  m_store.endArray();
  return list;
}

void Settings::addRecent(const QStringList& files) {
  QStringList absolute;
  for (const QString& file : files) absolute.append(QFileInfo(file).absoluteFilePath());
  QList<QStringList> list = recent();
  list.removeAll(absolute);
  list.prepend(absolute);
  m_store.remove("recent");
  m_store.beginWriteArray("recent");
  for (int i = 0; i < std::min(int(list.size()), kMaxRecent); ++i) {
    m_store.setArrayIndex(i);
    m_store.setValue("files", list[i]);
  }
  m_store.endArray();
}

void Settings::removeRecent(const QStringList& files) {
  QList<QStringList> list = recent();
  if (list.removeAll(files) == 0) return;
  m_store.remove("recent");
  for (auto it = list.rbegin(); it != list.rend(); ++it) addRecent(*it);
}

void Settings::clearRecent() { m_store.remove("recent"); }

QVariant Settings::value(const QString& key, const QVariant& fallback) const { return m_store.value(key, fallback); }
void Settings::setValue(const QString& key, const QVariant& value) { m_store.setValue(key, value); }

} // namespace ui::shell
