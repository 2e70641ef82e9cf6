#include "ui/state/view_state.h"

#include <algorithm>
#include <utility>

namespace ui::shell {

namespace {
constexpr std::size_t kHistory = 200;
constexpr qint64 kMergeMilliseconds = 1000;
} // namespace

ViewState::ViewState(QObject* parent) : QObject(parent) {}

void ViewState::setView(const QString& id) {
  Place next = m_place;
  next.view = id;
  moveTo(next, false);
}

void ViewState::setRange(reports::TickRange range) {
  Place next = m_place;
  next.range = range;
  const bool merge = m_sinceZoom.isValid() && m_sinceZoom.elapsed() < kMergeMilliseconds;
  moveTo(next, merge);
  m_sinceZoom.start();
}

void ViewState::setMeasured(reports::TickRange range) {
  Place next = m_place;
  next.measured = range;
  moveTo(next, false);
}

void ViewState::goTo(const Place& place) {
  Place next = place;
  std::sort(next.tiles.begin(), next.tiles.end());
  next.tiles.erase(std::unique(next.tiles.begin(), next.tiles.end()), next.tiles.end());
  moveTo(next, false, true);
}

void ViewState::setTiles(std::vector<reports::TileId> tiles) {
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  Place next = m_place;
  next.tiles = std::move(tiles);
  moveTo(next, false);
}

void ViewState::clickTile(reports::TileId tile, Qt::KeyboardModifiers modifiers) {
  if (!(modifiers & (Qt::ShiftModifier | Qt::ControlModifier))) return setTiles({tile});
  auto tiles = m_place.tiles;
  if (std::erase(tiles, tile) == 0) tiles.push_back(tile);
  setTiles(std::move(tiles));
}

void ViewState::setStep(reports::ProgramStepId step) {
  Place next = m_place;
  if (step != next.step) next.step = step, next.operation = {};
  moveTo(next, false);
}

void ViewState::setOperation(reports::OperationId operation, reports::ProgramStepId step) {
  Place next = m_place;
  next.operation = operation, next.step = step;
  moveTo(next, false);
}

void ViewState::setVariable(reports::VariableId variable, std::vector<reports::VariableId> beside) {
  Place next = m_place;
  next.variable = variable, next.beside = std::move(beside);
  moveTo(next, false);
}

void ViewState::setShown(Shown shown) {
  if (shown == m_place.shown) return;
  m_notes.setFindings(nullptr);
  Place next = m_place;
  next.shown = shown;
  next.step = {}, next.operation = {}, next.variable = {}, next.beside = {}, next.range = {}, next.measured = {};
  moveTo(next, false);
}

void ViewState::setUnits(theme::Units units) {
  if (units == m_format.units()) return;
  m_format = theme::Format(units, m_format.clockHz(), m_format.provenance());
  emit formatChanged();
}

void ViewState::setFigures(double clockHz, const QString& provenance) {
  if (clockHz == m_format.clockHz() && provenance == m_format.provenance()) return;
  m_format = theme::Format(m_format.units(), clockHz, provenance);
  emit formatChanged();
}

void ViewState::goBack() {
  if (m_back.empty()) return;
  m_forward.push_back(m_place);
  const Place previous = m_back.back();
  m_back.pop_back();
  m_sinceZoom.invalidate();
  show(previous, true);
  emit historyChanged();
}

void ViewState::goForward() {
  if (m_forward.empty()) return;
  m_back.push_back(m_place);
  const Place next = m_forward.back();
  m_forward.pop_back();
  m_sinceZoom.invalidate();
  show(next, true);
  emit historyChanged();
}

void ViewState::setTrail(Trail trail) {
  m_back = std::move(trail.back), m_forward = std::move(trail.forward);
  m_sinceZoom.invalidate();
  emit historyChanged();
}

void ViewState::startHere() {
  m_back.clear(), m_forward.clear();
  m_sinceZoom.invalidate();
  emit historyChanged();
}

void ViewState::reset(Shown shown, analyser::compare::PairingRules pairing) {
  m_messages.forget();
  m_notes.reset(std::move(pairing));
  startHere();
  Place next;
  next.view = m_place.view;
  next.shown = shown;
  show(next, false);
  emit historyChanged();
}

void ViewState::moveTo(const Place& next, bool merge, bool isWhole) {
  if (next == m_place) return;
  m_sinceZoom.invalidate();
  if (!merge || m_back.empty()) {
    m_back.push_back(m_place);
    if (m_back.size() > kHistory) m_back.erase(m_back.begin());
  }
  m_forward.clear();
  show(next, isWhole);
  emit historyChanged();
}

void ViewState::show(const Place& next, bool isWhole) {
  const Place old = m_place;
  m_place = next;
  if (isWhole)
    m_rangeIsGiven = !next.range.empty();
  else if (old.step != next.step)
    m_rangeIsGiven = false;
  if (old.shown != next.shown) emit shownChanged(next.shown); // emitted first, because the other changes belong to that report
  if (old.view != next.view) emit viewChanged(next.view);
  if (old.range != next.range) emit rangeChanged(next.range);
  if (old.measured != next.measured) emit measuredChanged(next.measured);
  if (old.tiles != next.tiles) emit tilesChanged();
  if (old.step != next.step) emit stepChanged(next.step);
  if (old.operation != next.operation) emit operationChanged(next.operation);
  if (old.variable != next.variable || old.beside != next.beside) emit variableChanged(next.variable);
}

} // namespace ui::shell
