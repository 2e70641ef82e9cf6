#include "ui/plot/flame_graph.h"

#include "ui/plot/frame.h"
#include "ui/plot/spoken.h"
#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace ui::plot {

namespace {
constexpr int kFrame = 2, kScrollRoom = 12, kTextWidth = 30;
constexpr double kNarrowest = 0.5; // pixels: narrower boxes are not drawn
} // namespace

FlameGraph::FlameGraph(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_hover(new HoverCard(theme, this)), m_scroll(new QScrollBar(Qt::Vertical, this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  makeSpoken(*this); // before the name is set
  setAccessibleName(name);
  describeIt();
  setProperty("picture", true);
  setMinimumSize(200, 80);
  m_scroll->setAccessibleName(tr("Scroll %1").arg(name));
  m_scroll->hide();
  connect(m_scroll, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

double FlameGraph::innerWidth() const { return std::max(1, width() - 2 * kFrame - kScrollRoom); }

void FlameGraph::setBoxes(std::vector<FlameBox> boxes, const QString& empty) {
  const auto depthOf = [](const std::vector<FlameBox>& list, int box) {
    int depth = 0;
    while ((box = list[std::size_t(box)].parent) >= 0) ++depth;
    return depth;
  };
  int root = -1;
  if (m_root >= 0) {
    const FlameBox& before = m_boxes[std::size_t(m_root)];
    const int depth = depthOf(m_boxes, m_root);
    for (std::size_t i = 0; i < boxes.size() && root < 0; ++i)
      if (boxes[i].name == before.name && depthOf(boxes, int(i)) == depth) root = int(i);
  }
  m_boxes = std::move(boxes);
  m_empty = empty;
  m_root = root, m_hovered = m_cursor = -1;
  describeIt();
  arrange();
}

void FlameGraph::enter(int box) {
  m_root = box;
  m_cursor = box;
  describeIt();
  arrange();
}

// Sets a description like "120 boxes, within attention. The longest: fwd 60 %, bwd 30 %, sync 4 %".
void FlameGraph::describeIt() {
  constexpr std::size_t kNamed = 3;
  QString shows = m_empty.isEmpty() ? tr("Nothing is shown") : m_empty;
  if (!m_boxes.empty()) {
    shows = theme::plural(int64_t(m_boxes.size()), tr("box"), tr("boxes"));
    if (m_root >= 0) shows += tr(", within %1").arg(m_boxes[std::size_t(m_root)].name);
    std::vector<const FlameBox*> inside;
    int64_t whole = m_root >= 0 ? m_boxes[std::size_t(m_root)].value : 0;
    for (const FlameBox& box : m_boxes)
      if (box.parent == m_root) inside.push_back(&box), whole += m_root < 0 ? box.value : 0;
    std::stable_sort(inside.begin(), inside.end(), [](const auto* a, const auto* b) { return a->value > b->value; });
    QStringList longest;
    for (std::size_t i = 0; i < std::min(kNamed, inside.size()) && whole > 0; ++i)
      longest << QStringLiteral("%1 %2").arg(inside[i]->name, theme::percent(double(inside[i]->value) / double(whole)));
    if (!longest.isEmpty()) shows += tr(". The longest: %1").arg(longest.join(QStringLiteral(", ")));
  }
  describe(*this, shows,
           tr("Arrow keys move between boxes, Enter zooms in on a box, Escape zooms out, Ctrl+Shift+T lists them in "
              "a table"));
}

// The entered box and its callers are as wide as the plot; boxes outside of it are hidden.
void FlameGraph::arrange() {
  m_places.assign(m_boxes.size(), {});
  m_rows = 0;
  std::vector<double> used(m_boxes.size() + 1); // pixels given to children, by parent + 1
  std::vector<bool> above(m_boxes.size());
  for (int box = m_root; box >= 0; box = m_boxes[std::size_t(box)].parent) above[std::size_t(box)] = true;
  int64_t whole = 0;
  for (const FlameBox& box : m_boxes)
    if (box.parent < 0) whole += box.value;
  for (std::size_t i = 0; i < m_boxes.size(); ++i) {
    const FlameBox& box = m_boxes[i];
    Place& place = m_places[i];
    const bool isRoot = box.parent < 0;
    const Place outer = isRoot ? Place{double(kFrame), innerWidth(), -1, true} : m_places[std::size_t(box.parent)];
    if (!outer.shown) continue;
    const bool onPath = m_root >= 0 && (isRoot || (above[std::size_t(box.parent)] && box.parent != m_root));
    if (onPath && !above[i]) continue; // not on the path to the entered box
    const int64_t all = isRoot ? whole : m_boxes[std::size_t(box.parent)].value;
    double& taken = used[std::size_t(box.parent + 1)];
    place.row = outer.row + 1;
    place.width = onPath    ? outer.width
                  : all > 0 ? std::min(outer.width - taken, outer.width * double(box.value) / double(all))
                            : 0;
    place.left = outer.left + (onPath ? 0 : taken);
    place.shown = place.width >= kNarrowest;
    taken += place.width;
    if (place.shown) m_rows = std::max(m_rows, place.row + 1);
  }
  const int content = m_rows * theme::kLane + 2 * kFrame;
  m_scroll->setGeometry(width() - kScrollRoom, 1, kScrollRoom - 1, std::max(0, height() - 2));
  m_scroll->setRange(0, std::max(0, content - height()));
  m_scroll->setPageStep(height());
  m_scroll->setSingleStep(theme::kLane);
  m_scroll->setVisible(content > height());
  update();
}

QRect FlameGraph::boxRect(int box) const {
  if (box < 0 || std::size_t(box) >= m_places.size() || !m_places[std::size_t(box)].shown) return {};
  const Place& place = m_places[std::size_t(box)];
  const int left = int(place.left), right = std::max(left + 1, int(place.left + place.width));
  return {left, kFrame + place.row * theme::kLane - m_scroll->value(), right - left, theme::kLane - 1};
}

int FlameGraph::boxAt(const QPoint& at) const {
  for (std::size_t i = 0; i < m_boxes.size(); ++i)
    if (boxRect(int(i)).contains(at)) return int(i);
  return -1;
}

void FlameGraph::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.fillRect(rect(), t.surface);
  painter.setFont(m_theme.small());
  if (m_boxes.empty()) {
    painter.setPen(t.secondary);
    painter.drawText(rect().adjusted(16, 0, -16, 0), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    return paintFrame(painter, *this, m_theme);
  }
  const QFontMetrics metrics = painter.fontMetrics();
  for (std::size_t i = 0; i < m_boxes.size(); ++i) {
    const QRect area = boxRect(int(i));
    if (area.isEmpty() || area.bottom() < 0 || area.top() > height()) continue;
    QColor colour = m_colours ? m_colours(m_boxes[i].colour) : t.accent;
    const bool leads = m_root >= 0 && m_places[i].row < m_places[std::size_t(m_root)].row;
    const QRect inner = area.adjusted(0, 0, area.width() > 3 ? -1 : 0, 0);
    const QBrush hatch(colour, Qt::BDiagPattern);
    if (leads) colour = theme::mix(colour, t.surface, 0.6); // boxes on the path to the entered box are paler
    if (m_boxes[i].isGone) colour = theme::mix(colour, t.surface, 0.7);
    painter.fillRect(inner, colour);
    if (m_boxes[i].isGone) painter.fillRect(inner, hatch);
    if (area.width() >= kTextWidth) {
      painter.setPen(leads || m_boxes[i].isGone ? t.text : theme::textOn(colour));
      const QRect box = area.adjusted(theme::kHalf, 0, -theme::kHalf, 0);
      painter.drawText(
          box, Qt::AlignLeft | Qt::AlignVCenter,
          metrics.elidedText(theme::functionThatFits(metrics, m_boxes[i].name, box.width()), Qt::ElideRight, box.width()));
    }
    if (int(i) == m_cursor || int(i) == m_hovered) {
      painter.setPen(QPen(int(i) == m_cursor ? t.accent : t.text, int(i) == m_cursor ? 2 : 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
  }
  paintFrame(painter, *this, m_theme);
}

void FlameGraph::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void FlameGraph::wheelEvent(QWheelEvent* event) {
  m_scroll->setValue(m_scroll->value() - event->angleDelta().y() / 120 * 3 * theme::kLane);
  event->accept();
}

void FlameGraph::mouseMoveEvent(QMouseEvent* event) {
  const int box = boxAt(event->pos());
  if (box != m_hovered) m_hovered = box, update();
  m_hover->showAt(box >= 0 && m_card ? m_card(box) : Card(), event->pos());
}

void FlameGraph::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  setFocus(Qt::MouseFocusReason);
  const int box = boxAt(event->pos());
  if (box < 0) return enter(-1);
  enter(box);
  emit boxClicked(box);
}

void FlameGraph::leaveEvent(QEvent* event) {
  m_hovered = -1;
  m_hover->hide();
  update();
  QWidget::leaveEvent(event);
}

void FlameGraph::keyPressEvent(QKeyEvent* event) {
  const auto siblings = [this](int parent) {
    std::vector<int> list;
    for (std::size_t i = 0; i < m_boxes.size(); ++i)
      if (m_boxes[i].parent == parent && m_places[i].shown) list.push_back(int(i));
    return list;
  };
  const int parent = m_cursor < 0 ? -1 : m_boxes[std::size_t(m_cursor)].parent;
  const auto beside = siblings(parent);
  const auto here = std::find(beside.begin(), beside.end(), m_cursor);
  switch (event->key()) {
  case Qt::Key_Escape: return enter(m_root < 0 ? -1 : m_boxes[std::size_t(m_root)].parent);
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_cursor < 0) return;
    enter(m_cursor);
    emit boxClicked(m_cursor);
    return;
  case Qt::Key_Left:
    if (here != beside.end() && here != beside.begin()) m_cursor = *(here - 1);
    break;
  case Qt::Key_Right:
    if (here != beside.end() && here + 1 != beside.end()) m_cursor = *(here + 1);
    break;
  case Qt::Key_Up:
    if (parent >= 0) m_cursor = parent;
    break;
  case Qt::Key_Down:
    if (const auto inside = siblings(m_cursor); !inside.empty()) m_cursor = inside.front();
    break;
  default: return QWidget::keyPressEvent(event);
  }
  if (m_cursor >= 0) speak(*this, m_card ? wordsOf(m_card(m_cursor)) : m_boxes[std::size_t(m_cursor)].name);
  const QRect area = boxRect(m_cursor);
  if (area.bottom() > height()) m_scroll->setValue(m_scroll->value() + area.bottom() - height());
  if (!area.isEmpty() && area.top() < 0) m_scroll->setValue(m_scroll->value() + area.top());
  update();
}

} // namespace ui::plot
