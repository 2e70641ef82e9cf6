// The program as a tree of its costs, with the selected step's details beside it. The selected step is shared with the other
// views, e.g. with the trace and liveness. For two reports there is one tree of aligned steps with A, B and the change, and above
// it a flame graph of the change; every control acts on both.
#pragma once

#include "analyser/program/step_search.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/view.h"
#include "ui/views/program/program_reading.h"

class QAction;
class QTabWidget;

namespace ui::shell {
class ElidedLabel;
class SearchTools;
} // namespace ui::shell
namespace ui::tables {
class FilteredTable;
class TreeView;
} // namespace ui::tables

namespace ui::program {

class PathFlames;

// The values of the view's controls.
struct ProgramState {
  bool vanished = false; // with two reports: the flame graph shows steps that only A has
};

class ProgramView : public shell::View {
  Q_OBJECT

public:
  explicit ProgramView(const shell::ViewParts& parts);
  ~ProgramView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  QString selectionText() const override;
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void formatChanged() override;

private:
  void recolour();
  void buildTools();
  void read();
  void show(const ProgramAnswer& answer);
  void showFlames();
  void selectRow(int row, bool tell);
  void readStepOf(int row);
  ColourBy colourBy() const;
  void markLayer(const ProgramAnswer& answer, int row);
  QString foundText() const;
  void search();
  void goToMatch(int direction);

  shell::ReportsOfView m_reports;
  ProgramState m_state;
  jobs::LatestJob<ProgramAnswer> m_job;
  jobs::LatestJob<StepAnswer> m_stepJob;
  std::array<analyser::program::StepsFound, 2> m_found; // in each report
  std::vector<int> m_matches;                           // rows, ascending
  int m_match = -1, m_row = -1;
  QAction *m_byLayer, *m_vanished, *m_allFlames;
  PathFlames* m_flames;
  shell::SearchTools* m_search;
  QTabWidget* m_lists; // steps, programs and functions
  tables::TreeView* m_tree;
  shell::ElidedLabel* m_marked; // describes the marked steps
  tables::FilteredTable* m_roots;
  StepPanel* m_panel;
};

} // namespace ui::program
