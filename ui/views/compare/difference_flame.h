// The program of two reports as a flame graph: the width of a frame is its cycles in B, its colour what changed against A (blue less,
// orange more, grey the same). Steps that B no longer has are shown on demand, hatched and as wide as they were in A. A click enters
// a frame, Esc or a click on the lowest one goes back.
#pragma once

#include "analyser/compare/program_difference.h"
#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"

#include <QWidget>

#include <memory>

namespace ui::theme {
class Theme;
}

namespace ui::compare {

struct FlameFrame {
  int node = 0; // of the tree
  int row = 0;  // 0: the entered node, or all roots
  double left = 0, width = 0;
};
// Frames of at least one pixel in `pixels`, below `entered` (-1: all roots). Children lie within their parent, side by side.
std::vector<FlameFrame> flameFrames(const analyser::compare::ProgramDifference& tree, int entered, bool showsVanished,
                                    double pixels);

class DifferenceFlame : public QWidget {
  Q_OBJECT

public:
  explicit DifferenceFlame(const theme::Theme& theme, QWidget* parent = nullptr);
  void setTree(std::shared_ptr<const analyser::compare::ProgramDifference> tree);
  void setFormat(const theme::Format& format);
  void setVanishedShown(bool shown);
  void enter(int node);

signals:
  void entered(int node); // -1: everything

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  void layOut();
  QRectF rectOf(const FlameFrame& frame) const;
  const FlameFrame* at(const QPointF& place) const;
  QColor colourOf(const analyser::compare::ProgramDifferenceNode& node) const;

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::shared_ptr<const analyser::compare::ProgramDifference> m_tree;
  std::vector<FlameFrame> m_frames;
  int m_entered = -1;
  bool m_vanished = false;
  plot::HoverCard* m_card;
};

} // namespace ui::compare
