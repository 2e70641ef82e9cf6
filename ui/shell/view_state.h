// The state that the views of one window share: the visible time range, the selection and the units. A click changes
// this object, and every view that shows the same thing follows. Changes of range and selection can be taken back
// (Alt+Left) and repeated (Alt+Right); a run of zooms within a second counts as one step.
#pragma once

#include "analyser/compare/pairing.h"
#include "reports/core/ids.h"
#include "reports/core/range.h"
#include "ui/theme/format.h"

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace analyser::insights {
struct Insights;
}

namespace ui::shell {

// Which of two compared reports the views of a report show. With one report open it means nothing.
enum class Shown { Base, Other, Difference };

// What another view wants of the Run view.
struct RunOrder {
  enum class Deed {
    Sample,   // run the sample `graph` with its defaults
    Model,    // fill the form with the model `graph`, an absolute path
    Trial,    // run what made the report `base` again with `change`, and compare
    Settings, // fill the form with the settings of the report `base`
  };
  Deed deed = Deed::Sample;
  QString graph, base;
  QStringList change; // words of the command line
};

class ViewState : public QObject {
  Q_OBJECT

public:
  // The part that Back and Forward restore.
  struct Place {
    QString view;                       // id of the shown view
    reports::TickRange range;           // visible cycles of the execution trace; empty: all
    reports::TickRange measured;        // the ruler on it; empty: none
    std::vector<reports::TileId> tiles; // sorted, no duplicates
    reports::ProgramStepId step;
    reports::OperationId operation; // operations may share steps: the one that is meant; none: any that has the step
    reports::VariableId variable;
    std::vector<reports::VariableId> beside; // further ones, drawn beside it
    Shown shown = Shown::Base;
    bool operator==(const Place&) const = default;
  };

  explicit ViewState(QObject* parent = nullptr);

  const Place& place() const { return m_place; }
  const QString& view() const { return m_place.view; }
  reports::TickRange range() const { return m_place.range; }
  reports::TickRange measured() const { return m_place.measured; }
  const std::vector<reports::TileId>& tiles() const { return m_place.tiles; }
  bool isTileSelected(reports::TileId tile) const;
  reports::ProgramStepId step() const { return m_place.step; }
  reports::OperationId operation() const { return m_place.operation; }
  reports::VariableId variable() const { return m_place.variable; }
  const std::vector<reports::VariableId>& besideVariable() const { return m_place.beside; }
  Shown shown() const { return m_place.shown; }

  void setView(const QString& id);
  void setRange(reports::TickRange range);
  void setMeasured(reports::TickRange range);
  void setTiles(std::vector<reports::TileId> tiles);
  void toggleTile(reports::TileId tile);
  void setStep(reports::ProgramStepId step); // another one is of no operation in particular
  // An operation, and the step that other views show of it.
  void setOperation(reports::OperationId operation, reports::ProgramStepId step);
  // The step came together with a range (a link, Back): it is selected within that range, and the range stays.
  bool rangeIsGiven() const { return m_rangeIsGiven; }
  void setVariable(reports::VariableId variable, std::vector<reports::VariableId> beside = {});
  // Tiles stay selected; steps and variables have other numbers in the other report, so they do not.
  void setShown(Shown shown);

  // The bookmarks of the open report, for views that mark them where they lead; in the order of the list of bookmarks.
  struct Mark {
    QString note;
    Place place;
    bool operator==(const Mark&) const = default;
  };
  void setMarks(std::vector<Mark> marks);
  const std::vector<Mark>& marks() const { return m_marks; }
  // A view asks to go where a mark leads, with the controls as they stood.
  void requestMark(int mark) { emit markRequested(mark); }

  // What the rules found in the report that is shown, for marks in its views; null: nobody has looked yet.
  using Findings = std::shared_ptr<const analyser::insights::Insights>;
  void setFindings(Findings findings);
  const Findings& findings() const { return m_findings; }

  // Units are a preference, not a place: Back does not change them.
  const theme::Format& format() const { return m_format; }
  void setUnits(theme::Units units);
  // Of the report that is shown: its clock, and how its figures are known (as Format has it).
  void setFigures(double clockHz, const QString& provenance = {});

  bool canGoBack() const { return !m_back.empty(); }
  // All at once, as one step of the history: a link, a bookmark.
  void goTo(const Place& place);
  void goBack();
  void goForward();
  // There is nothing to go back to from here: what came before is another report's.
  void startHere();
  // The pairs of operations that the user chose, where names do not tell; forgotten with the reports.
  const analyser::compare::PairingRules& pairing() const { return m_pairing; }
  void setPairing(analyser::compare::PairingRules rules);
  // Another view asks the Run view for something; the Run view takes the order when it is shown.
  void requestRun(RunOrder order);
  std::optional<RunOrder> takeRunOrder() { return std::exchange(m_runOrder, std::nullopt); }
  // A run that tried a change: the report it is compared with, the change, and the report it wrote.
  struct TriedRun {
    QString base;
    QStringList change; // words of the command line; empty: it tried none
    QString report;
  };
  const std::vector<TriedRun>& triedRuns() const { return m_triedRuns; } // of this window, oldest first
  void addTriedRun(TriedRun run);
  // The same for the tile that holds most, which the Memory view selects.
  void requestFullestTile();
  bool takeFullestRequest();
  // Asks a view to show all, whatever it is narrowed to now (an IPU, tiles, a filter): View::widen(). Remembered controls must not undo
  // it: whoever sets them takes the request.
  void requestWide(const QString& view);
  bool takeWideRequest(const QString& view);
  // As requestRun, for a tab of another view, by an id that the view knows.
  void requestTab(const QString& id) { m_tabRequest = id; }
  QString takeTabRequest() { return std::exchange(m_tabRequest, {}); }
  // Other reports: nothing selected, nothing to go back to; `pairing` holds for them already.
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
  void pairingChanged();
  void historyChanged();
  void marksChanged();
  void markRequested(int mark);
  void findingsChanged();
  void runRequested();
  void triedRunsChanged();
  void fullestRequested();
  void wideRequested(const QString& view);

private:
  // `isWhole`: all of the place comes from elsewhere, as one.
  void moveTo(const Place& next, bool merge, bool isWhole = false);
  void show(const Place& next, bool isWhole);

  Place m_place;
  Findings m_findings;
  analyser::compare::PairingRules m_pairing;
  QString m_tabRequest, m_wideRequest;
  std::optional<RunOrder> m_runOrder;
  std::vector<TriedRun> m_triedRuns;
  bool m_fullestRequest = false;
  theme::Format m_format;
  std::vector<Place> m_back, m_forward;
  std::vector<Mark> m_marks;
  bool m_rangeIsGiven = false;
  QElapsedTimer m_sinceZoom;
};

} // namespace ui::shell
