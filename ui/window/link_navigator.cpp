#include "ui/window/link_navigator.h"

#include "analyser/session/session.h"
#include "ui/parts/view.h"
#include "ui/state/settings.h"

#include <algorithm>

namespace ui::shell {

LinkNavigator::LinkNavigator(ViewState& state, Settings& settings, QObject* parent)
    : QObject(parent), m_state(state), m_settings(settings) {}

void LinkNavigator::setReports(const QStringList& files, const QStringList& ids, const analyser::Machine* machine) {
  m_files = files, m_ids = ids;
  m_tiles = machine ? uint32_t(machine->tiles()) : 0;
  m_awaited.clear(), m_fields.clear(), m_arePositionsLeft = false;
  m_recalled.clear();
}

void LinkNavigator::setView(View* view) {
  if (m_view) {
    rememberView();
    disconnect(m_view, nullptr, this, nullptr);
  }
  m_view = view, m_viewId = m_state.view();
  if (!m_view) return;
  recallView();
  if (m_fields.isEmpty()) m_state.messages().take<ShowAll>(m_viewId); // without filters of a link, all is visible
  connect(m_view, &View::busyChanged, this, &LinkNavigator::applySoon);
  applySoon();
}

ViewLink LinkNavigator::here() const {
  // Returns fields that are still to be set as if they were set, so that a stored location does not lose them.
  if (!m_fields.isEmpty() && m_state.view() == m_awaited) return {m_files, m_state.place(), m_fields, m_ids};
  return {m_files, m_state.place(), m_view ? m_view->fields().values() : FieldValues(), m_ids};
}

void LinkNavigator::follow(const ViewLink& link) {
  Place place = link.place;
  if (place.view.isEmpty()) place.view = m_state.view();
  std::erase_if(place.tiles, [this](reports::TileId tile) { return tile.value() >= m_tiles; }); // the report may have changed
  m_awaited = place.view, m_fields = link.fields, m_arePositionsLeft = false;
  m_state.messages().take<ShowAll>(m_awaited); // the link sets the filters
  m_state.goTo(place);
  applySoon();
}

// A job ends before its result is shown, so the view is checked in the next iteration of the event loop.
void LinkNavigator::applySoon() {
  if (!m_fields.isEmpty() || m_arePositionsLeft)
    QMetaObject::invokeMethod(this, &LinkNavigator::applyFields, Qt::QueuedConnection);
}

void LinkNavigator::applyFields() {
  if (!m_view || m_state.view() != m_awaited || m_view->isBusy()) return;
  if (!m_fields.isEmpty()) {
    m_positions = std::exchange(m_fields, {}); // setting the fields makes the view busy again
    const bool isWide = m_state.messages().take<ShowAll>(m_viewId).has_value();
    if (isWide) m_positions = m_view->fields().withoutTabs(m_positions);
    m_arePositionsLeft = !isWide;
    m_view->fields().set(m_positions);
    if (isWide) m_view->widen();
    return applySoon();
  }
  if (std::exchange(m_arePositionsLeft, false)) m_view->fields().setPositions(m_positions);
}

// Keeps the link for the window's tabs, and stores it if the settings say so.
void LinkNavigator::store(const QString& key, const ViewLink& link) {
  m_kept[key] = linkText(link);
  if (m_settings.remembersPlaces()) m_settings.setValue(key, m_kept[key]);
}

std::optional<ViewLink> LinkNavigator::stored(const QString& key) const {
  if (const auto kept = m_kept.find(key); kept != m_kept.end()) return parseLink(*kept);
  return m_settings.remembersPlaces() ? parseLink(m_settings.value(key).toString()) : std::nullopt;
}

void LinkNavigator::keepOnly(const QList<QStringList>& tabs) {
  QStringList keys;
  for (const QStringList& files : tabs) keys << Settings::placeKey(files);
  m_kept.removeIf([&](const auto& link) {
    return std::none_of(keys.begin(), keys.end(), [&](const QString& key) { return link.key().startsWith(key); });
  });
}

std::optional<ViewLink> LinkNavigator::remembered() const {
  return m_files.isEmpty() ? std::nullopt : stored(Settings::placeKey(m_files));
}

bool LinkNavigator::isRestoring() const { return m_awaited == m_viewId && (!m_fields.isEmpty() || m_arePositionsLeft); }

// Filters and tabs are stored per view of a report, and restored when the view is first shown.
void LinkNavigator::rememberView() {
  if (m_files.isEmpty()) return;
  if (isRestoring()) { // left before its fields were set
    m_recalled.remove(m_viewId);
    return;
  }
  ViewLink link;
  link.place.view = m_viewId;
  link.fields = m_view->fields().values(ViewFields::Which::Remembered);
  store(Settings::placeKey(m_files) + '/' + m_viewId, link);
}

void LinkNavigator::recallView() {
  if (m_files.isEmpty() || m_recalled.contains(m_viewId)) return;
  m_recalled.insert(m_viewId);
  if (m_awaited == m_viewId && !m_fields.isEmpty()) return; // a link sets the filters
  if (const auto link = stored(Settings::placeKey(m_files) + '/' + m_viewId))
    m_awaited = m_viewId, m_fields = link->fields, m_arePositionsLeft = false;
}

void LinkNavigator::remember() {
  if (m_files.isEmpty() || !m_view) return;
  rememberView();
  ViewLink link = here();
  link.reports.clear();
  store(Settings::placeKey(m_files), link);
}

} // namespace ui::shell
