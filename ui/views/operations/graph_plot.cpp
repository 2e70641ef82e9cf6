#include "ui/views/operations/graph_plot.h"

#include "ui/plot/spoken.h"
#include "ui/theme/theme.h"
#include "ui/views/operations/graph_cards.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ui::operations {

namespace {
constexpr double kDragDistance = 4;
} // namespace

GraphPlot::GraphPlot(const theme::Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_card(new plot::HoverCard(theme, this)) {
  plot::makeSpokenBySelection(*this);
  setAccessibleName(tr("Graph of the operations"));
  setProperty("picture", true);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumHeight(120);
  m_viewport.setSize(size());
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void GraphPlot::setData(std::shared_ptr<const FlowGraph> graph) {
  m_graph.setData(std::move(graph));
  m_selectedRow = -1;
  m_isPlaced = false;
  showGraph();
}

void GraphPlot::setFormat(const theme::Format& format) {
  m_measure.setFormat(format);
  update();
}

void GraphPlot::setMeasure(GraphMeasure measure) {
  m_measure.setMeasure(measure);
  showGraph();
}

void GraphPlot::setLabelled(bool labelled) {
  m_isLabelled = labelled;
  update();
}

void GraphPlot::setLevels(int levels) {
  m_graph.setLevels(levels);
  m_isPlaced = false;
  showGraph();
}

void GraphPlot::setSelectedRow(int row) {
  if (row == m_selectedRow) return;
  m_selectedRow = row;
  if (const int node = m_graph.nodeAround(row); node >= 0) m_viewport.bringIntoSight(node);
  update();
}

void GraphPlot::showGraph() {
  m_measure.scaleTo(m_graph);
  setAccessibleDescription(tr("%1, %2").arg(theme::plural(int64_t(nodes()), tr("box"), tr("boxes")),
                                            theme::plural(int64_t(edges()), tr("arrow of data"), tr("arrows of data"))));
  if (!m_isPlaced) showFirst();
  forgetHovered();
}

// Shows the whole graph, or, if that is too small to read, the area around the selected or the costliest box.
void GraphPlot::showFirst() {
  m_isPlaced = m_viewport.showAll();
  if (!m_isPlaced || scale() >= GraphViewport::kTextScale) return;
  int at = m_graph.nodeAround(m_selectedRow);
  for (int n = 0; at < 0 && n < int(nodes()); ++n)
    if (m_measure.of(m_graph.rowOf(n).totals) == m_measure.most()) at = n;
  m_viewport.showAround(std::max(0, at));
}

void GraphPlot::zoomAt(const QPointF& at, double factor) {
  m_viewport.zoomAt(at, factor);
  update();
}

std::vector<QRectF> GraphPlot::labelPlaces() const {
  std::vector<QRectF> places;
  for (const auto& label : painter().labels()) places.push_back(label.place);
  return places;
}

QRectF GraphPlot::boxOfRow(int row) const {
  const int node = m_graph.nodeOf(row);
  return node < 0 ? QRectF() : m_viewport.boxOf(node);
}

GraphPainter GraphPlot::painter() const {
  return {m_theme,     m_graph, m_viewport, m_measure, {m_graph.nodeAround(m_selectedRow), m_hoveredNode, m_hoveredEdge},
          m_isLabelled};
}

void GraphPlot::paintEvent(QPaintEvent*) {
  QPainter on(this);
  painter().paint(on);
}

void GraphPlot::select(int node) {
  m_selectedRow = m_graph.nodes()[std::size_t(node)].row;
  update();
  emit rowClicked(m_selectedRow);
}

// Moves the view so that the box (or the first box of the opened folder) keeps its position on the screen.
void GraphPlot::toggleOpen(int node, bool open) {
  const int row = open ? m_graph.nodes()[std::size_t(node)].row : m_graph.rowOf(node).parent;
  if (row < 0 || (open && !m_graph.isFolder(row))) return;
  const QPointF before = m_viewport.boxOf(node).center();
  m_selectedRow = m_graph.setOpen(row, open);
  showGraph();
  const int now = m_graph.nodeAround(m_selectedRow);
  m_viewport.moveTo(m_viewport.position() + (now < 0 ? QPointF() : before - m_viewport.boxOf(now).center()));
  emit rowClicked(m_selectedRow);
}

void GraphPlot::hover(const QPointF& at) {
  const int node = m_viewport.nodeAt(at), edge = node < 0 ? m_viewport.edgeAt(at) : -1;
  m_card->showAt(node >= 0   ? nodeCard(m_graph, node, m_measure.format())
                 : edge >= 0 ? edgeCard(m_graph, edge, m_measure.format())
                             : plot::Card(),
                 at.toPoint());
  if (node == m_hoveredNode && edge == m_hoveredEdge) return;
  m_hoveredNode = node, m_hoveredEdge = edge;
  update();
}

void GraphPlot::forgetHovered() {
  m_hoveredNode = m_hoveredEdge = -1;
  m_card->showAt({}, {});
  update();
}

void GraphPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_viewport.setSize(size());
  if (!m_isPlaced || !event->oldSize().isValid())
    showFirst();
  else
    m_viewport.moveTo(m_viewport.position());
}

void GraphPlot::wheelEvent(QWheelEvent* event) {
  zoomAt(event->position(), std::pow(1.0015, event->angleDelta().y()));
  event->accept();
}

void GraphPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  m_pressed = event->position(), m_atPressed = m_viewport.position();
  m_isDragging = false;
}

void GraphPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) return hover(event->position());
  const QPointF moved = event->position() - m_pressed;
  if (!m_isDragging && std::hypot(moved.x(), moved.y()) < kDragDistance) return;
  m_isDragging = true;
  m_card->showAt({}, {});
  m_viewport.moveTo(m_atPressed + moved);
  update();
}

void GraphPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || std::exchange(m_isDragging, false)) return;
  if (m_viewport.moveByMinimap(event->position())) return update();
  if (const int node = m_viewport.nodeAt(event->position()); node >= 0) select(node);
}

void GraphPlot::mouseDoubleClickEvent(QMouseEvent* event) {
  const int node = m_viewport.nodeAt(event->position());
  if (node >= 0)
    toggleOpen(node, true);
  else
    showFirst(), update();
}

void GraphPlot::keyPressEvent(QKeyEvent* event) {
  const int selected = m_graph.nodeAround(m_selectedRow);
  const auto go = [&](int node) {
    if (nodes() == 0) return;
    node = std::clamp(node, 0, int(nodes()) - 1);
    m_viewport.bringIntoSight(node);
    select(node);
  };
  switch (event->key()) {
  case Qt::Key_Right:
  case Qt::Key_Down: return go(selected + 1);
  case Qt::Key_Left:
  case Qt::Key_Up: return go(selected - 1);
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (selected >= 0) toggleOpen(selected, true);
    return;
  case Qt::Key_Backspace:
    if (selected >= 0) toggleOpen(selected, false);
    return;
  case Qt::Key_Plus:
  case Qt::Key_Equal: return zoomAt(rect().center(), 1.25);
  case Qt::Key_Minus: return zoomAt(rect().center(), 0.8);
  case Qt::Key_0:
  case Qt::Key_Home: m_isPlaced = m_viewport.showAll(); return update();
  default: QWidget::keyPressEvent(event);
  }
}

void GraphPlot::leaveEvent(QEvent*) { forgetHovered(); }

} // namespace ui::operations
