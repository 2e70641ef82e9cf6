#include "ui/window/view_stack.h"

#include "ui/parts/splitter_places.h"
#include "ui/parts/state_page.h"
#include "ui/parts/wheel_guard.h"
#include "ui/state/view_state.h"
#include "ui/window/open_reports.h"

namespace ui::shell {

ViewStack::ViewStack(const ViewParts& parts, ViewList views, const OpenReports& reports)
    : m_parts(parts), m_views(std::move(views)), m_reports(reports) {
  setFocusPolicy(Qt::ClickFocus);
  addWidget(m_unmet = new StatePage(parts.theme));
}

const ViewEntry* ViewStack::entryOf(const QString& id) const {
  for (const ViewEntry& entry : m_views)
    if (entry.id == id) return &entry;
  return nullptr;
}

View* ViewStack::current() const { return qobject_cast<View*>(currentWidget()); }

bool ViewStack::canShow(const ViewEntry& entry) const {
  const ReportSessions& open = m_reports.sessions();
  return entry.needs == Needs::Nothing || (entry.needs == Needs::Report && open.base) ||
         (entry.needs == Needs::Comparison && open.other);
}

bool ViewStack::showsDifference(const ViewEntry& entry) const {
  return m_reports.sessions().other && entry.hasDifference() && m_parts.state.shown() == Shown::Difference;
}

View* ViewStack::viewFor(const ViewEntry& entry, bool difference) {
  auto& view = m_made[{entry.id, difference}]; // a view that shows both reports is not a view of the difference
  if (view) return view;
  view = (difference ? entry.difference : entry.factory)(m_parts);
  view->keepFirstFields();
  view->setAccessibleName(difference ? tr("%1, difference").arg(entry.title) : entry.title);
  keepSplitters(*view, difference ? entry.id + QStringLiteral("-difference") : entry.id, m_parts.settings);
  leaveWheelOfTabs(*view);
  addWidget(view);
  m_stale.insert({entry.id, difference});
  connect(view, &View::selectionTextChanged, this, &ViewStack::selectionTextChanged);
  connect(view, &View::viewRequested, this, &ViewStack::viewRequested);
  connect(view, &View::openRequested, this, &ViewStack::openRequested);
  connect(view, &View::offerRequested, this, &ViewStack::offerRequested);
  connect(view, &View::tracesRequested, this, &ViewStack::tracesRequested);
  connect(view, &View::helpRequested, this, &ViewStack::helpRequested);
  connect(view, &View::compareRequested, this, &ViewStack::compareRequested);
  return view;
}

View* ViewStack::made(const QString& id) const {
  const auto view = m_made.find({id, false});
  return view == m_made.end() ? nullptr : view->second;
}

View* ViewStack::present(const ViewEntry& entry) {
  m_shown = entry.id;
  if (!canShow(entry)) {
    showNeed(entry);
    return nullptr;
  }
  const bool difference = showsDifference(entry);
  const bool isOfItsOwn = difference && !entry.showsBoth;
  View* view = viewFor(entry, isOfItsOwn);
  setCurrentWidget(view);
  if (m_stale.erase({entry.id, isOfItsOwn})) {
    const ReportSessions& open = m_reports.sessions();
    if (entry.needs == Needs::Comparison) view->setFurther(open.further);
    if (difference || entry.needs != Needs::Report)
      view->setSessions(open.base, open.other);
    else if (entry.showsBoth)
      view->setSessions(m_reports.shown(), nullptr);
    else
      view->setSessions(m_reports.shown(), m_parts.state.shown() == Shown::Other ? open.base : open.other);
  }
  return view;
}

void ViewStack::showNeed(const ViewEntry& entry) {
  if (entry.needs == Needs::Comparison)
    m_unmet->showEmpty(tr("%1 needs two reports").arg(entry.title),
                       tr("Open a second report beside the first, or drop two files on the window."), tr("Choose reports…"),
                       [this] { emit compareRequested({}, {}); });
  else
    m_unmet->showEmpty(tr("No report is open"), entry.question, tr("Open a report…"), [this] { emit openRequested({}); });
  setCurrentWidget(m_unmet);
}

void ViewStack::dropReports(bool isSame) {
  for (const auto& [made, view] : m_made) {
    m_stale.insert(made);
    if (entryOf(made.first)->needs == Needs::Nothing) continue;
    view->setFurther({});
    view->setSessions(nullptr, nullptr);
    if (!isSame) view->forgetReport();
  }
}

void ViewStack::dropShown() {
  for (const auto& [made, view] : m_made) {
    if (made.second || entryOf(made.first)->needs != Needs::Report) continue;
    view->setSessions(nullptr, nullptr);
    m_stale.insert(made);
  }
}

void ViewStack::takeGrown() {
  for (const auto& [made, view] : m_made) {
    m_stale.insert(made);
    if (view != current() && entryOf(made.first)->needs != Needs::Nothing) view->setSessions(nullptr, nullptr);
  }
  if (View* view = current(); view && shownEntry()->needs == Needs::Report) {
    m_stale.erase({m_shown, false});
    view->setSessions(m_reports.sessions().base, nullptr);
  }
}

QStringList ViewStack::unfinished() const {
  QStringList work;
  for (const auto& [made, view] : m_made)
    if (const QString words = view->unfinished(); !words.isEmpty()) work << words;
  return work;
}

} // namespace ui::shell
