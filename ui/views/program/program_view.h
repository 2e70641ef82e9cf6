// The program as a tree of its costs, with the selected step's details beside it. The selected step is shared with the other
// views, e.g. with the trace and liveness.
#pragma once

#include "analyser/program/step_search.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/view.h"
#include "ui/views/program/program_tables.h"
#include "ui/views/program/step_panel.h"

class QAction;
class QTabWidget;

namespace ui::shell {
class ElidedLabel;
class SearchTools;
} // namespace ui::shell
namespace ui::tables {
class FilteredTable;
class TreeView;
struct Tree;
} // namespace ui::tables

namespace ui::program {

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
  struct Answer {
    analyser::program::Program program;
    std::shared_ptr<const tables::Tree> tree;
    std::shared_ptr<const tables::Table> roots;
  };
  void buildTools();
  void read();
  void show(const Answer& answer);
  void selectNode(int node, bool tell);
  void readStep(reports::ProgramStepId step, std::optional<StepsInside> inside);
  ColourBy colourBy() const;
  void markLayer(const analyser::program::Program& program, int node);
  std::string layerOf(reports::ProgramStepId step) const;
  QString foundText() const;
  void search();
  void goToMatch(int direction);

  std::shared_ptr<shell::WorkerSession> m_worker;
  jobs::LatestJob<Answer> m_job;
  jobs::LatestJob<StepAnswer> m_stepJob;
  analyser::program::StepsFound m_found;
  int m_match = -1, m_node = -1;
  QAction* m_byLayer;
  shell::SearchTools* m_search;
  QTabWidget* m_lists; // steps, programs and functions
  tables::TreeView* m_tree;
  shell::ElidedLabel* m_marked; // describes the marked steps
  tables::FilteredTable* m_roots;
  StepPanel* m_panel;
};

} // namespace ui::program
