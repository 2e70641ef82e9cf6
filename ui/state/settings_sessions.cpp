// The sessions of windows in the settings: the open reports of each process, and which of these processes have ended.
#include "ui/state/report_file.h"
#include "ui/state/settings.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDateTime>
#include <QFile>
#include <QSysInfo>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace ui::shell {

namespace {

const QString kSessions = QStringLiteral("sessions"), kClosedSession = QStringLiteral("window/session");
constexpr std::size_t kMostSessions = 8; // of ended windows
constexpr qsizetype kMostTabs = 100;
constexpr qint64 kMostDays = 30; // after which sessions of other computers are forgotten

// The start time of a process in ticks of the system; empty if it does not run. PIDs are reused; the start time tells them apart.
QString startOf(qint64 process) {
  QFile stat(QStringLiteral("/proc/%1/stat").arg(process));
  if (stat.open(QFile::ReadOnly)) {
    const QByteArray text = stat.readAll();
    const QByteArrayList fields = text.mid(text.lastIndexOf(')') + 2).split(' '); // the name before may contain any character
    constexpr qsizetype kStart = 19;                                              // field 22; the list begins with field 3
    return fields.size() > kStart ? QString::fromLatin1(fields[kStart]) : QStringLiteral("0");
  }
  if (QFile::exists(QStringLiteral("/proc/self"))) return {};
  return ::kill(pid_t(process), 0) == 0 || errno == EPERM ? QStringLiteral("0") : QString();
}

QString computer() {
  const QByteArray name = QSysInfo::machineHostName().toUtf8();
  return QString::fromLatin1(QCryptographicHash::hash(name, QCryptographicHash::Sha1).toHex().left(8));
}

// The files of all tabs, with an empty name between two tabs.
QStringList flat(const QList<QStringList>& tabs) {
  QStringList files;
  for (const QStringList& tab : tabs) files += (files.isEmpty() ? QStringList() : QStringList(QString())) + tab;
  return files;
}

// Empty if the settings were damaged.
QList<QStringList> tabsIn(const QStringList& files) {
  QList<QStringList> tabs;
  bool isNew = true;
  for (const QString& file : files) {
    if (std::exchange(isNew, file.isEmpty())) tabs.emplace_back();
    if (!file.isEmpty()) tabs.back() << file;
  }
  tabs.removeIf([](const QStringList& tab) { return tab.isEmpty() || tab.size() > kMostReports; });
  return tabs.size() > kMostTabs ? QList<QStringList>() : tabs;
}

bool isGone(const QString& process) {
  const qint64 number = process.section('-', 1, 1).toLongLong();
  return number <= 0 || startOf(number) != process.section('-', 2);
}

} // namespace

// "3f2a90bc-4711-88123": computer, number, start.
QString Settings::thisProcess() {
  const qint64 number = QCoreApplication::applicationPid();
  return QStringLiteral("%1-%2-%3").arg(computer()).arg(number).arg(startOf(number));
}

// The time is written before the files.
void Settings::setSession(const QList<QStringList>& tabs, const QString& process) {
  if (tabs.isEmpty()) return forgetSession(process);
  m_store.setValue(kSessions + '/' + process,
                   QStringList(QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)) + flat(tabs));
}

// Keeps only the session of the window that was closed last.
void Settings::closeSession(const QList<QStringList>& tabs) {
  forgetSession(thisProcess());
  if (!tabs.isEmpty()) m_store.setValue(kClosedSession, flat(tabs));
}

void Settings::forgetSession(const QString& process) {
  m_store.remove(process.isEmpty() ? kClosedSession : kSessions + '/' + process);
}

std::vector<Settings::Session> Settings::endedSessions() {
  m_store.sync(); // other windows write there
  m_store.beginGroup(kSessions);
  const QStringList processes = m_store.childKeys();
  m_store.endGroup();
  std::vector<std::pair<QString, Session>> ended; // by time
  for (const QString& process : processes) {
    const QStringList stored = m_store.value(kSessions + '/' + process).toStringList();
    if (!process.startsWith(computer() + '-')) { // another computer with the same home folder offers it
      const QDateTime since = QDateTime::fromString(stored.value(0), Qt::ISODateWithMs);
      if (!since.isValid() || since.daysTo(QDateTime::currentDateTimeUtc()) > kMostDays) forgetSession(process);
      continue;
    }
    if (!isGone(process)) continue;
    if (const auto tabs = tabsIn(stored.mid(1)); tabs.isEmpty())
      forgetSession(process);
    else
      ended.push_back({stored.front(), {process, tabs}});
  }
  if (const auto former = tabsIn(m_store.value(kClosedSession).toStringList()); !former.isEmpty())
    ended.push_back({QString(), {QString(), former}});
  std::stable_sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Session> sessions;
  for (auto& [time, session] : ended) {
    if (sessions.size() < kMostSessions)
      sessions.push_back(std::move(session));
    else
      forgetSession(session.process);
  }
  return sessions;
}

} // namespace ui::shell
