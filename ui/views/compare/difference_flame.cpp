#include "ui/views/compare/difference_flame.h"

#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace ui::compare {

using analyser::compare::Presence;
using analyser::compare::ProgramDifference;
using analyser::compare::ProgramDifferenceNode;
using theme::reportText;

namespace {
constexpr int kGap = 1, kPad = 4; // pixels between lanes, beside a label
constexpr double kFull = 0.5;     // the change that has the full colour

// The width of a frame: its cycles in B, or in A if it is gone and shown all the same.
double weightOf(const ProgramDifferenceNode& node, bool showsVanished) {
  if (node.presence == Presence::BaseOnly) return showsVanished ? double(node.base.value()) : 0;
  return double(node.other.value());
}
} // namespace

std::vector<FlameFrame> flameFrames(const ProgramDifference& tree, int entered, bool showsVanished, double pixels) {
  const auto& nodes = tree.nodes;
  // An inner frame is as wide as all in it: with vanished steps shown, those too.
  std::vector<double> inside(nodes.size(), 0), weight(nodes.size(), 0);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    weight[i] = std::max(inside[i], weightOf(nodes[i], showsVanished));
    if (nodes[i].parent >= 0) inside[std::size_t(nodes[i].parent)] += weight[i];
  }
  double whole = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (entered >= 0 ? int(i) == entered : nodes[i].parent < 0) whole += weight[i];
  std::vector<FlameFrame> frames;
  if (whole <= 0 || pixels <= 0) return frames;
  const double scale = pixels / whole;
  std::vector<double> next(nodes.size(), -1); // where the next child of a placed frame begins; -1: not placed
  std::vector<int> rows(nodes.size(), 0);
  double root = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int parent = nodes[i].parent;
    const bool isTop = entered >= 0 ? int(i) == entered : parent < 0;
    if (!isTop && (parent < 0 || next[std::size_t(parent)] < 0)) continue;
    double& left = isTop ? root : next[std::size_t(parent)];
    const double width = weight[i] * scale;
    if (width >= 1) {
      rows[i] = isTop ? 0 : rows[std::size_t(parent)] + 1;
      frames.push_back({int(i), rows[i], left, width});
      next[i] = left;
    }
    left += width;
  }
  return frames;
}

DifferenceFlame::DifferenceFlame(const theme::Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_card(new plot::HoverCard(theme, this)) {
  setAccessibleName(tr("Difference flame graph"));
  setProperty("picture", true);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumHeight(140);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void DifferenceFlame::setTree(std::shared_ptr<const ProgramDifference> tree) {
  m_tree = std::move(tree);
  m_entered = -1;
  setAccessibleDescription(m_tree
                               ? tr("%1 of both reports by their cycles in B; the tree of programs beside it has the numbers")
                                     .arg(theme::plural(int64_t(m_tree->nodes.size()), tr("program step"), tr("program steps")))
                               : tr("Nothing is shown"));
  layOut();
}

void DifferenceFlame::setFormat(const theme::Format& format) {
  m_format = format;
  update();
}

void DifferenceFlame::setVanishedShown(bool shown) {
  m_vanished = shown;
  layOut();
}

void DifferenceFlame::enter(int node) {
  m_entered = node;
  layOut();
  emit entered(node);
}

void DifferenceFlame::layOut() {
  m_frames = m_tree ? flameFrames(*m_tree, m_entered, m_vanished, width()) : std::vector<FlameFrame>();
  update();
}

QRectF DifferenceFlame::rectOf(const FlameFrame& frame) const {
  return QRectF(frame.left, frame.row * (theme::kLane + kGap), std::max(1.0, frame.width - kGap), theme::kLane);
}

const FlameFrame* DifferenceFlame::at(const QPointF& place) const {
  for (const FlameFrame& frame : m_frames)
    if (rectOf(frame).adjusted(0, 0, kGap, kGap).contains(place)) return &frame;
  return nullptr;
}

QColor DifferenceFlame::colourOf(const ProgramDifferenceNode& node) const {
  if (node.presence == Presence::BaseOnly) return m_theme.difference(-1);
  if (node.base.value() == 0) return m_theme.difference(node.other.value() > 0 ? 1 : 0);
  const double change = double(node.difference().value()) / double(node.base.value());
  return m_theme.difference(std::clamp(change / kFull, -1.0, 1.0));
}

void DifferenceFlame::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(m_theme.small());
  if (m_frames.empty()) {
    painter.setPen(m_theme.tokens().secondary);
    if (m_tree) painter.drawText(rect(), Qt::AlignCenter, tr("No program ran in these reports"));
    return;
  }
  for (const FlameFrame& frame : m_frames) {
    const auto& node = m_tree->nodes[std::size_t(frame.node)];
    const QRectF box = rectOf(frame);
    const QColor colour = colourOf(node);
    painter.fillRect(box, node.presence == Presence::BaseOnly ? theme::mix(colour, m_theme.tokens().surface, 0.7) : colour);
    if (node.presence == Presence::BaseOnly) painter.fillRect(box, QBrush(colour, Qt::BDiagPattern));
    const QString label = theme::elided(painter.fontMetrics(), reportText(node.label), int(box.width()) - 2 * kPad);
    if (box.width() < 4 * kPad + painter.fontMetrics().horizontalAdvance('m') * 2) continue;
    painter.setPen(node.presence == Presence::BaseOnly ? m_theme.tokens().text : theme::textOn(colour));
    painter.drawText(box.adjusted(kPad, 0, -kPad, 0), Qt::AlignVCenter | Qt::AlignLeft, label);
  }
}

void DifferenceFlame::resizeEvent(QResizeEvent*) { layOut(); }

void DifferenceFlame::mouseMoveEvent(QMouseEvent* event) {
  const FlameFrame* frame = at(event->position());
  plot::Card card;
  if (frame) {
    const auto& node = m_tree->nodes[std::size_t(frame->node)];
    card.title = reportText(node.name.empty() ? node.kind : node.name);
    card.rows = {{tr("A"), node.presence == Presence::OtherOnly ? tr("not there") : m_format.cycles(node.base), {}},
                 {tr("B"), node.presence == Presence::BaseOnly ? tr("not there") : m_format.cycles(node.other), {}},
                 {tr("B − A"), m_format.cyclesDelta(node.difference()), {}}};
    if (node.base.value() > 0)
      card.rows.push_back({tr("change"), theme::percentDelta(double(node.difference().value()) / double(node.base.value())), {}});
    card.hint = tr("Click enters, Esc goes back");
  }
  m_card->showAt(card, event->pos());
}

void DifferenceFlame::mousePressEvent(QMouseEvent* event) {
  const FlameFrame* frame = at(event->position());
  if (!frame || event->button() != Qt::LeftButton) return;
  enter(frame->node == m_entered ? m_tree->nodes[std::size_t(frame->node)].parent : frame->node);
}

void DifferenceFlame::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape || m_entered < 0) return QWidget::keyPressEvent(event);
  enter(m_tree->nodes[std::size_t(m_entered)].parent);
}

void DifferenceFlame::leaveEvent(QEvent*) { m_card->showAt({}, {}); }

} // namespace ui::compare
