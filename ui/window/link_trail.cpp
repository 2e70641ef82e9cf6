#include "ui/window/link_trail.h"

#include "ui/window/link_navigator.h"
#include "ui/window/message_bar.h"
#include "ui/window/open_reports.h"
#include "ui/window/view_stack.h"

#include <QClipboard>
#include <QGuiApplication>

namespace ui::shell {

namespace {
constexpr std::size_t kMostLeft = 50;
} // namespace

LinkTrail::LinkTrail(ViewState& state, OpenReports& reports, const ViewStack& views, LinkNavigator& links, MessageBar& message)
    : m_state(state), m_reports(reports), m_views(views), m_links(links), m_message(message) {}

bool LinkTrail::leadsSomewhere(const ViewLink& link) const {
  return link.place.view.isEmpty() || m_views.entryOf(link.place.view);
}

void LinkTrail::open(const ViewLink& link) {
  if (!leadsSomewhere(link))
    return m_message.say(tr("The link leads to “%1”; this window has no such view.").arg(link.place.view), Tone::Warning);
  if (link.reports.isEmpty() || link.reports == m_reports.files()) return m_links.follow(link);
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
  const QString done =
      tr("A link to this view is in the clipboard. Paste it into the search field, or give it to tilescope --at.");
  View* view = m_views.current();
  const QStringList without = view ? view->fields().tooLongForLink() : QStringList();
  if (without.isEmpty()) return m_message.say(done, Tone::Neutral);
  m_message.say(tr("%1 It leaves out the text of %2, which is too long for a link.").arg(done, without.join(tr(" and "))),
                Tone::Warning);
}

// Back from the first location in a report that a link has opened leads to the report before the link.
void LinkTrail::goBack() {
  if (m_state.canGoBack() || m_left.empty()) return m_state.goBack();
  m_reports.open(m_left.back().reports, {}, Journey{m_left.back(), true});
}

// Stores the location that a link leads away from; Back goes to the last one. Opening another report by hand clears them.
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
