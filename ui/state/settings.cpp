#include "ui/state/settings.h"

#include "ui/state/report_file.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QRegularExpression>
#include <QStandardPaths>

#include <algorithm>

namespace ui::shell {

namespace {
constexpr int kVersion = 1;
constexpr int kPoints = 10;
constexpr qint64 kMostBytes = 16 * 1024 * 1024;      // of the file
constexpr int kLockMs = 2000, kStaleLockMs = 10'000; // milliseconds

QString standardPath() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/tilescope/tilescope.ini");
}

// Whether a file has values in QSettings' own encoding, @Variant and @DateTime. For such a value QSettings allocates a list of
// the claimed size before it reads the list. This program writes none. QSettings escapes no letter except hexadecimal digits, so
// an escape of another letter counts as such a value, too.
bool holdsEncodedValues(QByteArray text) {
  static const QRegularExpression encoded(
      QStringLiteral(R"([=,]\s*@(V.{1,12}riant|.{1,12}t.{1,12}Tim)|)"
                     R"(\\x0*(40|4[7-9a-fA-F]|5[0-9aA]|6[7-9a-fA-F]|7[0-9aA])(?![0-9a-fA-F])|)"
                     R"(\\0*1[0-7][0-7](?![0-7]))"));
  text.replace('"', "").replace("\\\r\n", "").replace("\\\n", "");
  return encoded.match(QString::fromLatin1(text)).hasMatch();
}

// Returns `path`. Renames an existing file that this program cannot have written.
QString cleared(const QString& path) {
  QFile file(path);
  if (QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly) &&
      (file.size() > kMostBytes || holdsEncodedValues(file.readAll()))) {
    file.close();
    QFile::remove(path + QStringLiteral(".damaged"));
    QFile::rename(path, path + QStringLiteral(".damaged"));
  }
  return path;
}

template<class Enum> Enum enumValue(const QVariant& stored, Enum fallback, int last) {
  bool ok = false;
  const int v = stored.toInt(&ok);
  return ok && v >= 0 && v <= last ? Enum(v) : fallback;
}
} // namespace

Settings::Settings(const QString& path) : m_store(cleared(path.isEmpty() ? standardPath() : path), QSettings::IniFormat) {
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

int Settings::pointSize() const { return m_store.value("look/points", kPoints).toInt(); }
void Settings::setPointSize(int points) { m_store.setValue("look/points", points); }
theme::Scale Settings::scale() const { return enumValue(m_store.value("look/scale"), theme::Scale::Cividis, 2); }
void Settings::setScale(theme::Scale scale) { m_store.setValue("look/scale", int(scale)); }
int Settings::tilesPerRow() const { return m_store.value("look/tiles_per_row", 0).toInt(); }
void Settings::setTilesPerRow(int tiles) { m_store.setValue("look/tiles_per_row", tiles); }
bool Settings::remembersPlaces() const { return m_store.value("window/places", true).toBool(); }
void Settings::setRemembersPlaces(bool remembers) { m_store.setValue("window/places", remembers); }
int Settings::recentCount() const { return std::clamp(m_store.value("recent_count", kMostRecent).toInt(), 1, kMostRecent); }

void Settings::setRecentCount(int count) {
  m_store.setValue("recent_count", std::clamp(count, 1, kMostRecent));
  changeRecent([](QList<QStringList>&) {}); // drops entries that are too old now
}

QString Settings::saveFolder() const { return m_store.value("window/save_folder").toString(); }
void Settings::setSaveFolder(const QString& folder) { m_store.setValue("window/save_folder", folder); }
bool Settings::railFolded() const { return m_store.value("window/rail_folded", false).toBool(); }
void Settings::setRailFolded(bool folded) { m_store.setValue("window/rail_folded", folded); }
QByteArray Settings::geometry() const { return m_store.value("window/geometry").toByteArray(); }
void Settings::setGeometry(const QByteArray& geometry) { m_store.setValue("window/geometry", geometry); }

QList<QStringList> Settings::recent() const {
  QList<QStringList> list;
  const int size = m_store.beginReadArray("recent");
  for (int i = 0; i < std::min(size, kMostRecent); ++i) {
    m_store.setArrayIndex(i);
    const QStringList files = m_store.value("files").toStringList();
    if (!files.isEmpty() && files.size() <= kMostReports) list.append(files);
  }
  m_store.endArray();
  return list;
}

// Other windows write the same list: reads it again, changes and writes it under a lock.
void Settings::changeRecent(const std::function<void(QList<QStringList>&)>& change) {
  QLockFile lock(m_store.fileName() + QStringLiteral(".recent.lock")); // QSettings has ".lock" for each sync
  lock.setStaleLockTime(kStaleLockMs);
  (void)lock.tryLock(kLockMs); // if the folder is not writable, writing fails anyway
  m_store.sync();
  QList<QStringList> list = recent();
  const QList<QStringList> before = list;
  change(list);
  const int most = recentCount(); // read before the array is open: inside it every key belongs to the array
  m_store.remove("recent");
  m_store.beginWriteArray("recent");
  for (int i = 0; i < std::min(int(list.size()), most); ++i) {
    m_store.setArrayIndex(i);
    m_store.setValue("files", list[i]);
  }
  m_store.endArray();
  for (const QStringList& files : before) // the view states of removed files are removed, too
    if (const auto at = list.indexOf(files); at < 0 || at >= most) m_store.remove(placeKey(files));
  m_store.sync();
}

QString Settings::placeKey(const QStringList& files) {
  QStringList names;
  for (const QString& file : files) names.append(wholeName(file));
  const QByteArray hash = QCryptographicHash::hash(names.join('\n').toUtf8(), QCryptographicHash::Sha1).toHex();
  return QStringLiteral("places/") + QString::fromLatin1(hash);
}

void Settings::addRecent(const QStringList& files) {
  QStringList absolute;
  for (const QString& file : files) absolute.append(wholeName(file));
  changeRecent([&](QList<QStringList>& list) {
    list.removeAll(absolute);
    list.prepend(absolute);
  });
}

void Settings::removeRecent(const QStringList& files) {
  changeRecent([&](QList<QStringList>& list) { list.removeAll(files); });
}

void Settings::clearRecent() {
  changeRecent([](QList<QStringList>& list) { list.clear(); });
}

QVariant Settings::value(const QString& key, const QVariant& fallback) const { return m_store.value(key, fallback); }

// An unchanged value is not written: locations are saved every few seconds.
void Settings::setValue(const QString& key, const QVariant& value) {
  if (!m_store.contains(key) || m_store.value(key) != value) m_store.setValue(key, value);
}

void Settings::remove(const QString& key) { m_store.remove(key); }

} // namespace ui::shell
