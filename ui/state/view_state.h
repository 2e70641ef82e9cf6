// The state that the views of one window share: the shown view, the visible time range, the selection and the units. A click
// changes this object, and every view that shows the same item follows. Changes of range and selection can be undone (Alt+Left)
// and redone (Alt+Right); zooms within a second count as one step.
#pragma once

#include "ui/state/place.h"
#include "ui/state/report_notes.h"
#include "ui/state/view_messages.h"
#include "ui/theme/format.h"

#include <QElapsedTimer>
#include <QObject>

namespace ui::shell {

class ViewState : public QObject {
  Q_OBJECT

public:
  explicit ViewState(QObject* parent = nullptr);

  const Place& place() const { return m_place; }
  const QString& view() const { return m_place.view; }
  reports::TickRange range() const { return m_place.range; }
  reports::TickRange measured() const { return m_place.measured; }
  const std::vector<reports::TileId>& tiles() const { return m_place.tiles; }
  reports::ProgramStepId step() const { return m_place.step; }
  reports::OperationId operation() const { return m_place.operation; }
  reports::VariableId variable() const { return m_place.variable; }
  const std::vector<reports::VariableId>& besideVariable() const { return m_place.beside; }
  Shown shown() const { return m_place.shown; }

  void setView(const QString& id);
  void setRange(reports::TickRange range);
  void setMeasured(reports::TickRange range);
  void setTiles(std::vector<reports::TileId> tiles);
  // A click on the tile: with Shift or Ctrl, adds it to the selection or removes it.
  void clickTile(reports::TileId tile, Qt::KeyboardModifiers modifiers);
  void setStep(reports::ProgramStepId step); // clears the operation if the step is not one of its steps
  // An operation, and the step that represents it in other views.
  void setOperation(reports::OperationId operation, reports::ProgramStepId step);
  // The step was set together with a range (a link, Back): it is selected within that range, and the range stays.
  bool rangeIsGiven() const { return m_rangeIsGiven; }
  void setVariable(reports::VariableId variable, std::vector<reports::VariableId> beside = {});
  // Tiles stay selected; steps and variables do not, because they have other numbers in the other report.
  void setShown(Shown shown);

  ReportNotes& notes() { return m_notes; }
  const ReportNotes& notes() const { return m_notes; }
  ViewMessages& messages() { return m_messages; }

  // Units are a preference, not a location: Back does not change them.
  const theme::Format& format() const { return m_format; }
  void setUnits(theme::Units units);
  // Sets the displayed report's clock, and the origin of its figures (see Format).
  void setFigures(double clockHz, const QString& provenance = {});

  // Back and Forward, for reports that are shown again later.
  struct Trail {
    std::vector<Place> back, forward;
  };
  Trail trail() const { return {m_back, m_forward}; }
  void setTrail(Trail trail);
  bool canGoBack() const { return !m_back.empty(); }
  // Sets everything in one step of the history: for a link or a bookmark.
  void goTo(const Place& place);
  void goBack();
  void goForward();
  // Clears the history: older entries belong to another report.
  void startHere();
  // Call when other reports are open: clears selection and history. `pairing` already applies to the new reports.
  void reset(Shown shown = Shown::Base, analyser::compare::PairingRules pairing = {});

signals:
  void viewChanged(const QString& id);
  void rangeChanged(reports::TickRange range);
  void measuredChanged(reports::TickRange range);
  void tilesChanged();
  void stepChanged(reports::ProgramStepId step);
  void operationChanged(reports::OperationId operation);
  void variableChanged(reports::VariableId variable);
  void shownChanged(ui::shell::Shown shown);
  void formatChanged();
  void historyChanged();

private:
  // `isWhole`: a link or the history sets the whole location at once.
  void moveTo(const Place& next, bool merge, bool isWhole = false);
  void show(const Place& next, bool isWhole);

  Place m_place;
  ReportNotes m_notes;
  ViewMessages m_messages;
  theme::Format m_format;
  std::vector<Place> m_back, m_forward;
  bool m_rangeIsGiven = false;
  QElapsedTimer m_sinceZoom;
};

} // namespace ui::shell
