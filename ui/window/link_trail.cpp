#include "ui/window/link_trail.h"

#include "ui/state/settings.h"
#include "ui/window/link_navigator.h"
#include "ui/window/message_bar.h"
#include "ui/window/open_reports.h"
#include "ui/window/report_id.h"
#include "ui/window/view_stack.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>

#include <algorithm>
#include <utility>

namespace ui::shell {

namespace {
constexpr std::size_t kMostLeft = 50;
} // namespace

LinkTrail::LinkTrail(ViewState& state, OpenReports& reports, const ViewStack& views, LinkNavigator& links, MessageBar& message,
                     const Settings& settings)
    : m_state(state), m_reports(reports), m_views(views), m_links(links), m_message(message), m_settings(settings) {}

bool LinkTrail::leadsSomewhere(const ViewLink& link) const {
  return link.place.view.isEmpty() || m_views.entryOf(link.place.view);
}

void LinkTrail::open(const ViewLink& link) {
  if (!leadsSomewhere(link))
    return m_message.say(tr("The link leads to “%1”; this window has no such view.").arg(link.place.view), Tone::Warning);
  const bool isHere = link.reports == m_reports.files() || (link.ids == m_links.ids() && link.ids.size() == link.reports.size());
  if (link.reports.isEmpty() || isHere) return m_links.follow(link);
  ViewLink here = link;
  for (qsizetype i = 0; i < here.reports.size(); ++i) {
    const QString file = found(here.reports[i], here.ids.value(i));
    if (file.isEmpty()) return locate(here, i);
    here.reports[i] = file;
  }
  openFound(here);
}

QString LinkTrail::found(const QString& report, const QString& id) const {
  if (isRemoteFile(report)) return report;
  const QString name = QFileInfo(report).fileName();
  QStringList candidates;
  for (const ReportTab& tab : m_reports.tabs()) {
    const auto sessions = tab.sessions.all();
    for (std::size_t i = 0; i < sessions.size() && qsizetype(i) < tab.files.size(); ++i)
      if (!id.isEmpty() && reportId(*sessions[i]) == id) return tab.files[qsizetype(i)];
    candidates += tab.files;
  }
  if (QFileInfo::exists(report)) return report;
  for (const QStringList& files : m_settings.recent()) candidates += files;
  for (const QString& file : std::as_const(candidates))
    if (QFileInfo(file).fileName() == name && QFileInfo::exists(file)) return file;
  candidates << QDir::current().filePath(name);
  for (const QString& file : std::as_const(candidates)) {
    const QFileInfo beside(QFileInfo(file).dir(), name);
    if (!isRemoteFile(file) && beside.exists()) return beside.absoluteFilePath();
  }
  return {};
}

// Asks the user for a missing report of the link. The rest of the link stays as it is.
void LinkTrail::locate(ViewLink link, qsizetype missing) {
  const QString name = QFileInfo(link.reports[missing]).fileName();
  m_message.say(tr("%1, the report of the link, was not found among the open and recent reports or in their folders.").arg(name),
                Tone::Warning, tr("Locate…"), [this, link, missing, name]() mutable {
                  const QString file = QFileDialog::getOpenFileName(m_message.window(), tr("Locate %1").arg(name), name);
                  if (file.isEmpty()) return;
                  link.reports[missing] = file;
                  open(link);
                });
}

void LinkTrail::compare(const ViewLink& link) {
  const QStringList& ids = m_links.ids();
  for (qsizetype i = 0; i < std::min(ids.size(), link.ids.size()); ++i)
    if (!link.ids[i].isEmpty() && link.ids[i] != ids[i])
      return m_message.say(tr("%1 has the name of the link's report, but it is another run: figures may differ.")
                               .arg(QFileInfo(m_reports.files().value(i)).fileName()),
                           Tone::Warning);
}

void LinkTrail::openFound(const ViewLink& link) {
  QStringList far = link.reports;
  far.removeIf([this](const QString& report) { return !isRemoteFile(report) || m_reports.files().contains(report); });
  const auto open = [this, link] { m_reports.open(link.reports, {}, Journey{link, false}); };
  if (far.isEmpty()) return open();
  m_message.say(tr("The link leads to another computer: %1").arg(far.join(QStringLiteral(", "))), Tone::Warning,
                tr("Connect and open"), open);
}

void LinkTrail::offer(const ViewLink& link) {
  const QString reports = link.reports.join(QStringLiteral(", "));
  m_message.say(
      tr("A link asks to show %1%2.").arg(linkTitle(link), reports.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(reports)),
      Tone::Neutral, tr("Open"), [this, link] { open(link); });
}

void LinkTrail::copy() {
  if (!m_reports.sessions().base) return;
  QGuiApplication::clipboard()->setText(linkText(m_links.here()));
  const QString done = tr("A link to this view is in the clipboard. Paste it into the search field of a window.");
  View* view = m_views.current();
  const QStringList without = view ? view->fields().tooLongForLink() : QStringList();
  if (without.isEmpty()) return m_message.say(done, Tone::Neutral);
  m_message.say(tr("%1 It leaves out the text of %2, which is too long for a link.").arg(done, without.join(tr(" and "))),
                Tone::Warning);
}

// At the first location after a link has opened other reports, Back returns to the reports before the link.
void LinkTrail::goBack() {
  if (m_state.canGoBack() || m_left.empty()) return m_state.goBack();
  m_reports.open(m_left.back().reports, {}, Journey{m_left.back(), true});
}

// Stores the current location if a link leads to other reports, so that goBack() can return to it. Opening reports by hand clears
// the stored locations.
void LinkTrail::leave(const ReportChange& change) {
  m_links.remember();
  if (!change.isSame) {
    if (!change.journey)
      m_left.clear();
    else if (!change.journey->isBack && !m_reports.files().isEmpty())
      m_left.push_back(m_links.here());
    else if (change.journey->isBack && !m_left.empty())
      m_left.pop_back();
    if (m_left.size() > kMostLeft) m_left.erase(m_left.begin());
  }
  m_links.setView(nullptr); // its controls belong to the previous reports
}

} // namespace ui::shell
