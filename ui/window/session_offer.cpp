#include "ui/window/session_offer.h"

#include "ui/state/settings.h"
#include "ui/window/message_bar.h"
#include "ui/window/open_reports.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace ui::shell {

SessionOffer::SessionOffer(Settings& settings, OpenReports& reports, MessageBar& message)
    : m_settings(settings), m_reports(reports), m_message(message) {}

void SessionOffer::make(const QString& before) {
  if (m_reports.sessions().base) return;
  std::vector<QStringList> windows;
  QStringList names;
  m_offered.clear();
  for (Settings::Session& session : m_settings.endedSessions()) {
    m_offered << session.process;
    session.files.removeIf([](const QString& file) { return !isRemoteFile(file) && !QFileInfo::exists(file); });
    if (session.files.isEmpty() || std::find(windows.begin(), windows.end(), session.files) != windows.end()) continue;
    QStringList files;
    for (const QString& file : session.files) files << QFileInfo(file).fileName();
    names << files.join(QStringLiteral(" ↔ "));
    windows.push_back(session.files);
  }
  if (windows.empty()) {
    if (!before.isEmpty()) m_message.say(before, Tone::Warning);
    return;
  }
  const QString wasOpen = windows.size() == 1
                              ? tr("%1 was open when the last window ended.").arg(names.front())
                              : tr("%1 were open in %2 windows when they ended.").arg(names.join(tr(", "))).arg(windows.size());
  m_message.say(before.isEmpty() ? wasOpen : before + u' ' + wasOpen, before.isEmpty() ? Tone::Neutral : Tone::Warning,
                tr("Open again"), [this, windows] {
                  m_reports.open(windows.front());
                  for (std::size_t i = 1; i < windows.size(); ++i) emit newWindowRequested(windows[i]);
                });
}

void SessionOffer::forget() {
  for (const QString& process : std::exchange(m_offered, {})) m_settings.forgetSession(process);
}

} // namespace ui::shell
