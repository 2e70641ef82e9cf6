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
  std::vector<QList<QStringList>> windows;
  QStringList names;
  m_offered.clear();
  for (Settings::Session& session : m_settings.endedSessions()) {
    m_offered << session.process;
    QStringList ofWindow;
    for (QStringList& tab : session.tabs) {
      tab.removeIf([](const QString& file) { return !isRemoteFile(file) && !QFileInfo::exists(file); });
      QStringList files;
      for (const QString& file : tab) files << QFileInfo(file).fileName();
      if (!files.isEmpty()) ofWindow << files.join(QStringLiteral(" ↔ "));
    }
    session.tabs.removeAll(QStringList());
    if (session.tabs.isEmpty() || std::find(windows.begin(), windows.end(), session.tabs) != windows.end()) continue;
    names += ofWindow;
    windows.push_back(session.tabs);
  }
  if (windows.empty()) {
    if (!before.isEmpty()) m_message.say(before, Tone::Warning);
    return;
  }
  const QString wasOpen =
      windows.size() == 1
          ? (names.size() == 1 ? tr("%1 was open when the last window ended.") : tr("%1 were open when the last window ended."))
                .arg(names.join(tr(", ")))
          : tr("%1 were open in %2 windows when they ended.").arg(names.join(tr(", "))).arg(windows.size());
  m_message.say(before.isEmpty() ? wasOpen : before + u' ' + wasOpen, before.isEmpty() ? Tone::Neutral : Tone::Warning,
                tr("Open again"), [this, windows] {
                  QList<QStringList> here = windows.front();
                  for (std::size_t i = 1; i < windows.size(); ++i)
                    if (windows[i].size() == 1)
                      emit newWindowRequested(windows[i].front());
                    else
                      here += windows[i]; // a new window opens one tab
                  m_reports.restore(here);
                });
}

void SessionOffer::forget() {
  for (const QString& process : std::exchange(m_offered, {})) m_settings.forgetSession(process);
}

} // namespace ui::shell
