#include "ui/shell/link_navigator.h"

#include "analyser/session/session.h"
#include "ui/shell/settings.h"
#include "ui/shell/view.h"
#include "ui/shell/view_controls.h"

#include <QCryptographicHash>

namespace ui::shell {

namespace {
QString keyOf(const QStringList& files) {
  const QByteArray hash = QCryptographicHash::hash(files.join('\n').toUtf8(), QCryptographicHash::Sha1).toHex();
  return QStringLiteral("places/") + QString::fromLatin1(hash);
}
} // namespace

LinkNavigator::LinkNavigator(ViewState& state, Settings& settings, QObject* parent)
    : QObject(parent), m_state(state), m_settings(settings) {}

void LinkNavigator::setReports(const QStringList& files, const analyser::Machine* machine) {
  m_files = files;
  m_tiles = machine ? uint32_t(machine->tiles()) : 0;
  m_awaited.clear(), m_controls.clear(), m_arePositionsLeft = false;
  m_shown.clear();
}

void LinkNavigator::setView(View* view) {
  if (m_view) {
    rememberView();
    disconnect(m_view, nullptr, this, nullptr);
  }
  m_view = view, m_viewId = m_state.view();
  if (!m_view) return;
  recallView();
  connect(m_view, &View::busyChanged, this, &LinkNavigator::applySoon);
  applySoon();
}

ViewLink LinkNavigator::here() const {
  // Controls that are still to be set are as good as set: a place kept now must not lose them.
  if (!m_controls.isEmpty() && m_state.view() == m_awaited) return {m_files, m_state.place(), m_controls};
  return {m_files, m_state.place(), m_view ? controlsOf(*m_view) : QMap<QString, QString>()};
}

void LinkNavigator::follow(const ViewLink& link) {
  ViewState::Place place = link.place;
  if (place.view.isEmpty()) place.view = m_state.view();
  std::erase_if(place.tiles, [this](reports::TileId tile) { return tile.value() >= m_tiles; }); // the report was written anew
  m_awaited = place.view, m_controls = link.controls, m_arePositionsLeft = false;
  m_state.goTo(place);
  applySoon();
}

// A job is done before its answer is shown, so a look at the view waits for the next turn of the event loop.
void LinkNavigator::applySoon() {
  if (!m_controls.isEmpty() || m_arePositionsLeft)
    QMetaObject::invokeMethod(this, &LinkNavigator::applyControls, Qt::QueuedConnection);
}

void LinkNavigator::applyControls() {
  if (!m_view || m_state.view() != m_awaited || m_view->isBusy()) return;
  if (!m_controls.isEmpty()) {
    m_positions = std::exchange(m_controls, {}); // setting them makes the view busy again
    m_arePositionsLeft = true;
    setControls(*m_view, m_positions);
    return applySoon();
  }
  if (std::exchange(m_arePositionsLeft, false)) setPositions(*m_view, m_positions);
}

std::optional<ViewLink> LinkNavigator::remembered() const {
  return m_files.isEmpty() ? std::nullopt : parseLink(m_settings.value(keyOf(m_files)).toString());
}

// Each view of a report has filters and tabs of its own, which are there again when the view is first shown.
void LinkNavigator::rememberView() {
  if (m_files.isEmpty() || !m_controls.isEmpty()) return;
  ViewLink link;
  link.place.view = m_viewId;
  link.controls = controlsOf(*m_view);
  m_settings.setValue(keyOf(m_files) + '.' + m_viewId, linkText(link));
}

void LinkNavigator::recallView() {
  const bool isFirst = std::exchange(m_shown[m_viewId], true) == false;
  if (!isFirst || m_files.isEmpty() || !m_settings.remembersPlaces() || (m_awaited == m_viewId && !m_controls.isEmpty())) return;
  if (const auto link = parseLink(m_settings.value(keyOf(m_files) + '.' + m_viewId).toString()))
    m_awaited = m_viewId, m_controls = link->controls, m_arePositionsLeft = false;
}

void LinkNavigator::remember() {
  if (m_files.isEmpty() || !m_view) return;
  rememberView();
  ViewLink link = here();
  link.reports.clear();
  m_settings.setValue(keyOf(m_files), linkText(link));
}

} // namespace ui::shell
