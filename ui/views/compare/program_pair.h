// The programs of both reports: a difference flame graph by the names of steps, and below it the aligned tree with the cycles of both.
#pragma once

#include "analyser/compare/program_difference.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/reports_of_view.h"
#include "ui/parts/view.h"
#include "ui/plot/flame_graph.h"
#include "ui/tables/table.h"
#include "ui/theme/format.h"

class QLabel;

namespace ui::tables {
class TreeView;
}

namespace ui::compare {

// The boxes of a program of two reports: as wide as the cycles in B. Steps that are missing in B are left out, or as wide as in A. The colour of
// a box is the index of its node.
std::vector<plot::FlameBox> flameBoxes(const analyser::compare::ProgramDifference& program, bool showsVanished);

class ProgramPair : public QWidget {
  Q_OBJECT

public:
  ProgramPair(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  ~ProgramPair() override;
  // Read when the page is first shown.
  void setReports(shell::ReportsOfView reports);
  void setFormat(const theme::Format& format);
  jobs::JobBase& job() { return m_job; }
  // The aligned steps; null before they are read.
  std::shared_ptr<const analyser::compare::ProgramDifference> steps() const;

signals:
  void programsRead();

protected:
  void showEvent(QShowEvent* event) override;

private:
  struct Answer {
    std::shared_ptr<const analyser::compare::ProgramDifference> tree, steps; // by the paths of names; step by step
    std::shared_ptr<const tables::Tree> rows;
  };
  void align();
  void showFlame();
  QColor colourOf(const analyser::compare::ProgramDifferenceNode& node) const;
  plot::Card cardOf(const analyser::compare::ProgramDifferenceNode& node) const;
  const theme::Theme& m_theme;
  theme::Format m_format;
  shell::ReportsOfView m_reports;
  std::shared_ptr<const analyser::compare::ProgramDifference> m_shown; // in the flame graph
  std::vector<int> m_nodes;                                            // nodes of its boxes
  bool m_showsVanished = false;
  plot::FlameGraph* m_flame;
  tables::TreeView* m_tree;
  QLabel* m_words;
  jobs::LatestJob<Answer> m_job;
  bool m_due = false;
};

} // namespace ui::compare
