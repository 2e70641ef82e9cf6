#include "ui/views/program/path_flames.h"

#include "ui/plot/plot_table.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::program {

using analyser::compare::Presence;
using analyser::compare::ProgramDifference;
using analyser::compare::ProgramDifferenceNode;
using theme::reportText;

namespace {
constexpr double kFull = 0.5; // the change that has the full colour
}

std::vector<plot::FlameBox> flameBoxes(const ProgramDifference& paths, bool showsVanished) {
  const auto& nodes = paths.nodes;
  // A box is at least as wide as its inner boxes, including vanished steps if these are shown.
  std::vector<int64_t> inside(nodes.size(), 0), width(nodes.size(), 0);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const bool isGone = nodes[i].presence == Presence::BaseOnly;
    const int64_t own = !isGone ? nodes[i].other.value() : showsVanished ? nodes[i].base.value() : 0;
    width[i] = std::max(inside[i], own);
    if (nodes[i].parent >= 0) inside[std::size_t(nodes[i].parent)] += width[i];
  }
  std::vector<plot::FlameBox> boxes;
  std::vector<int> boxOf(nodes.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (width[i] <= 0) continue;
    boxOf[i] = int(boxes.size());
    boxes.push_back({nodes[i].parent < 0 ? -1 : boxOf[std::size_t(nodes[i].parent)], reportText(nodes[i].label), width[i], int(i),
                     nodes[i].presence == Presence::BaseOnly});
  }
  return boxes;
}

PathFlames::PathFlames(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kHalf);
  auto* words = theme::plainLabel(
      tr("By name; width: cycles in B. Blue: less than in A, orange: more, full colour from 50 % on. Click to enter."));
  words->setProperty("role", "secondary");
  words->setWordWrap(true);
  column->addWidget(words);
  column->addWidget(m_flame = new plot::FlameGraph(theme, tr("Difference flame graph")), 1);
  m_flame->setProperty(plot::kTwin, tr("Program"));
  m_flame->setColours([this](int node) { return colourOf(m_paths->nodes[std::size_t(node)]); });
  m_flame->setCard([this](int box) { return cardOf(m_paths->nodes[std::size_t(m_nodes[std::size_t(box)])]); });
}

void PathFlames::setPaths(std::shared_ptr<const ProgramDifference> paths, bool showsVanished) {
  m_paths = std::move(paths);
  auto boxes = m_paths ? flameBoxes(*m_paths, showsVanished) : std::vector<plot::FlameBox>();
  m_nodes.clear();
  for (const plot::FlameBox& box : boxes) m_nodes.push_back(box.colour);
  m_flame->setBoxes(std::move(boxes), m_paths ? tr("No program ran in these reports") : QString());
}

QColor PathFlames::colourOf(const ProgramDifferenceNode& node) const {
  if (node.presence == Presence::BaseOnly) return m_theme.difference(-1);
  if (node.base.value() == 0) return m_theme.difference(node.other.value() > 0 ? 1 : 0);
  return m_theme.difference(std::clamp(ratio(node.difference(), node.base) / kFull, -1.0, 1.0));
}

plot::Card PathFlames::cardOf(const ProgramDifferenceNode& node) const {
  plot::Card card;
  card.title = reportText(node.name);
  card.rows = {{tr("A"), node.presence == Presence::OtherOnly ? tr("not there") : m_format.cycles(node.base), {}},
               {tr("B"), node.presence == Presence::BaseOnly ? tr("not there") : m_format.cycles(node.other), {}},
               {tr("B − A"), m_format.cyclesDelta(node.difference()), {}}};
  if (node.base.value() > 0) card.rows.push_back({tr("change"), theme::percentDelta(ratio(node.difference(), node.base)), {}});
  card.hint = tr("Click enters, Esc goes back");
  return card;
}

} // namespace ui::program
