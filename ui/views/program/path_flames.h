// The cycles of two programs as one flame graph, by the paths in the names of their steps. A box is as wide as its cycles in B;
// its colour shows the change from A.
#pragma once

#include "analyser/compare/program_difference.h"
#include "ui/plot/flame_graph.h"
#include "ui/theme/format.h"

namespace ui::program {

// Steps that are missing in B are left out, or as wide as in A. The colour of a box is the index of its node.
std::vector<plot::FlameBox> flameBoxes(const analyser::compare::ProgramDifference& paths, bool showsVanished);

class PathFlames : public QWidget {
  Q_OBJECT

public:
  explicit PathFlames(const theme::Theme& theme, QWidget* parent = nullptr);
  // Null: nothing to show.
  void setPaths(std::shared_ptr<const analyser::compare::ProgramDifference> paths, bool showsVanished);
  void setFormat(const theme::Format& format) { m_format = format; }
  void showAll() { m_flame->enter(-1); }

private:
  QColor colourOf(const analyser::compare::ProgramDifferenceNode& node) const;
  plot::Card cardOf(const analyser::compare::ProgramDifferenceNode& node) const;
  const theme::Theme& m_theme;
  theme::Format m_format;
  std::shared_ptr<const analyser::compare::ProgramDifference> m_paths;
  std::vector<int> m_nodes; // of the boxes
  plot::FlameGraph* m_flame;
};

} // namespace ui::program
