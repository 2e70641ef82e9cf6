#include "ui/views/operations/graph_plot.h"

#include "ui/plot/spoken.h"
#include "ui/shell/report_text.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ui::operations {

using analyser::operations::GraphEdge;
using analyser::operations::LayoutPoint;
using analyser::operations::Operation;
using analyser::operations::TreeRow;
using shell::reportText;

namespace {

constexpr double kLeastScale = 0.02, kMostScale = 2.5;
constexpr double kFirstScale = 0.85; // where all of it would be too small to read
constexpr double kDragDistance = 4;
constexpr int kListed = 6; // variables on the card of an arrow

} // namespace

GraphPlot::GraphPlot(const theme::Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_card(new plot::HoverCard(theme, this)) {
  plot::makeSpokenBySelection(*this);
  setAccessibleName(tr("Graph of the operations"));
  setProperty("picture", true);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumHeight(120);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void GraphPlot::setData(std::shared_ptr<const FlowGraph> graph) {
  m_data = std::move(graph);
  m_selectedRow = -1;
  m_isFolder.assign(m_data ? m_data->tree.size() : 0, false);
  m_roots = 0;
  for (std::size_t i = 0; i < m_isFolder.size(); ++i) {
    const int parent = m_data->tree[i].parent;
    if (parent >= 0)
      m_isFolder[std::size_t(parent)] = true;
    else
      ++m_roots;
  }
  setLevels(m_levels);
}

void GraphPlot::setFormat(const theme::Format& format) {
  m_format = format;
  update();
}

void GraphPlot::setMeasure(GraphMeasure measure) {
  m_measure = measure;
  rebuild();
}

void GraphPlot::setLabelled(bool labelled) {
  m_isLabelled = labelled;
  update();
}

void GraphPlot::setLevels(int levels) {
  m_levels = levels;
  m_open.clear();
  if (m_data) m_open = analyser::operations::openFolders(m_data->tree, levels);
  m_isPlaced = false;
  rebuild();
}

void GraphPlot::setSelectedRow(int row) {
  if (row == m_selectedRow) return;
  m_selectedRow = row;
  showSelected();
  update();
}

void GraphPlot::rebuild() {
  m_graph = {}, m_layout = {}, m_most = 0;
  m_hoveredNode = m_hoveredEdge = -1;
  m_card->showAt({}, {});
  if (m_data) {
    m_graph = analyser::operations::operationGraph(m_data->tree, *m_data->flow, m_open);
    std::vector<analyser::operations::LayoutEdge> edges;
    for (const GraphEdge& e : m_graph.edges) edges.push_back({e.from, e.to});
    m_layout = analyser::operations::layeredLayout(m_graph.nodes.size(), edges, kBoxes);
    m_nodeOfRow.assign(m_data->tree.size(), -1);
    for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) m_nodeOfRow[std::size_t(m_graph.nodes[n].row)] = int(n);
    for (const auto& node : m_graph.nodes) m_most = std::max(m_most, measureOf(m_data->tree[std::size_t(node.row)].totals));
  }
  setAccessibleDescription(
      tr("%1, %2").arg(theme::plural(int64_t(m_graph.nodes.size()), tr("box"), tr("boxes")),
                       theme::plural(int64_t(m_graph.edges.size()), tr("arrow of data"), tr("arrows of data"))));
  if (!m_isPlaced) showFirst();
  update();
}

// In a large model one box is thousands of times another, and most would have one colour.
double GraphPlot::shadeOf(const Operation& o) const {
  const double measure = measureOf(o);
  return measure > 0 && m_most > 0 ? std::max(0.0, 1 + std::log10(measure / m_most) / std::log10(kRange)) : 0;
}

double GraphPlot::measureOf(const Operation& o) const {
  switch (m_measure) {
  case GraphMeasure::Cycles: return double(o.total.value());
  case GraphMeasure::Waste: return double(o.tileCycles.wasted());
  case GraphMeasure::Memory: return double(o.memory().value());
  }
  return 0;
}

QString GraphPlot::measureText(double measure) const {
  switch (m_measure) {
  case GraphMeasure::Cycles: return m_format.cycles(reports::Cycles(std::llround(measure)));
  case GraphMeasure::Waste: return tr("%1 tile-cycles wasted").arg(theme::countShort(measure));
  case GraphMeasure::Memory: return m_format.bytes(reports::Bytes(std::llround(measure)));
  }
  return {};
}

void GraphPlot::showAll() {
  if (width() <= 0 || height() <= 0 || m_graph.nodes.empty()) return;
  m_isPlaced = true;
  const double fit = std::min((width() - 2 * theme::kMargin) / std::max(1.0, m_layout.width),
                              (graphHeight() - 2 * theme::kMargin) / std::max(1.0, m_layout.height));
  m_scale = std::clamp(fit, kLeastScale, 1.0);
  m_at = {(width() - m_layout.width * m_scale) / 2, (graphHeight() - m_layout.height * m_scale) / 2};
}

// All of it, or what is too small to read then: the surroundings of the costliest box.
void GraphPlot::showFirst() {
  showAll();
  if (!m_isPlaced || m_scale >= kTextScale) return;
  m_scale = kFirstScale;
  int at = nodeOfRow(m_selectedRow);
  for (std::size_t n = 0; at < 0 && n < m_graph.nodes.size(); ++n)
    if (measureOf(m_data->tree[std::size_t(m_graph.nodes[n].row)].totals) == m_most) at = int(n);
  const LayoutPoint& centre = m_layout.nodes[std::size_t(std::max(0, at))];
  m_at = QPointF(width() / 2.0 - centre.x * m_scale, graphHeight() / 2.0 - centre.y * m_scale);
  keepInside();
}

// The legend has the lowest line.
double GraphPlot::graphHeight() const { return std::max(1, height() - kLegendHeight); }

// The graph covers the widget where it is larger, and stays in its middle where it is smaller.
void GraphPlot::keepInside() {
  const auto within = [](double at, double content, double room) {
    const double margin = theme::kMargin;
    if (content + 2 * margin <= room) return (room - content) / 2;
    return std::clamp(at, room - content - margin, margin);
  };
  m_at = {within(m_at.x(), m_layout.width * m_scale, width()), within(m_at.y(), m_layout.height * m_scale, graphHeight())};
}

void GraphPlot::showSelected() {
  const int node = nodeOfRow(m_selectedRow);
  if (node < 0) return;
  const QRectF box = boxOf(node);
  if (QRectF(rect()).contains(box)) return;
  m_at += QPointF(width() / 2.0, height() / 2.0) - box.center();
  keepInside();
}

void GraphPlot::zoomAt(const QPointF& at, double factor) {
  const double scale = std::clamp(m_scale * factor, kLeastScale, kMostScale);
  m_at = at + (m_at - at) * (scale / m_scale);
  m_scale = scale;
  keepInside();
  update();
}

QRectF GraphPlot::boxOf(int node) const {
  const QPointF centre = toWidget(m_layout.nodes[std::size_t(node)]);
  const double w = kBoxes.nodeWidth * m_scale, h = kBoxes.nodeHeight * m_scale;
  return {centre.x() - w / 2, centre.y() - h / 2, w, h};
}

// The box of the row, or of the folder it is folded into.
int GraphPlot::nodeOfRow(int row) const {
  for (; row >= 0; row = m_data->tree[std::size_t(row)].parent)
    if (m_nodeOfRow[std::size_t(row)] >= 0) return m_nodeOfRow[std::size_t(row)];
  return -1;
}

QPointF GraphPlot::placeOf(int row) const {
  const int node = row >= 0 && std::size_t(row) < m_nodeOfRow.size() ? m_nodeOfRow[std::size_t(row)] : -1;
  return node < 0 ? QPointF(-1, -1) : boxOf(node).center();
}

QRectF GraphPlot::boxOfRow(int row) const {
  const int node = row >= 0 && std::size_t(row) < m_nodeOfRow.size() ? m_nodeOfRow[std::size_t(row)] : -1;
  return node < 0 ? QRectF() : boxOf(node);
}

int GraphPlot::nodeAt(const QPointF& at) const {
  for (std::size_t n = 0; n < m_graph.nodes.size(); ++n)
    if (boxOf(int(n)).contains(at)) return int(n);
  return -1;
}

int GraphPlot::edgeAt(const QPointF& at) const {
  QPainterPathStroker stroker;
  stroker.setWidth(8);
  for (std::size_t e = 0; e < m_graph.edges.size(); ++e)
    if (boundsOf(int(e)).contains(at) && stroker.createStroke(pathOf(m_layout.edges[e])).contains(at)) return int(e);
  return -1;
}

QRectF GraphPlot::boundsOf(int edge) const {
  QRectF bounds;
  for (const LayoutPoint& p : m_layout.edges[std::size_t(edge)]) {
    const QPointF at = toWidget(p);
    bounds = bounds.united(QRectF(at.x() - 8, at.y() - 8, 16, 16));
  }
  return bounds;
}

QPainterPath GraphPlot::pathOf(const std::vector<LayoutPoint>& points) const {
  QPainterPath path(toWidget(points.front()));
  for (std::size_t i = 1; i < points.size(); ++i) {
    const QPointF a = toWidget(points[i - 1]), b = toWidget(points[i]);
    const double middle = (a.x() + b.x()) / 2;
    path.cubicTo({middle, a.y()}, {middle, b.y()}, b);
  }
  return path;
}

plot::Card GraphPlot::nodeCard(int node) const {
  const int row = m_graph.nodes[std::size_t(node)].row;
  const TreeRow& shown = m_data->tree[std::size_t(row)];
  const Operation& o = shown.totals;
  plot::Card card;
  card.title = reportText(o.name);
  if (isFolder(row)) card.rows.push_back({tr("operations"), theme::count(shown.operations)});
  card.rows.push_back({tr("cycles"), tr("%1, %2 of all").arg(m_format.cycles(o.total), theme::percent(o.share))});
  card.rows.push_back({tr("wasted"), tr("%1 tile-cycles").arg(theme::countShort(double(o.tileCycles.wasted())))});
  card.rows.push_back({tr("memory"), m_format.bytes(o.memory())});
  reports::Bytes in, out;
  for (const GraphEdge& e : m_graph.edges) {
    if (e.to == node) in += e.bytes;
    if (e.from == node) out += e.bytes;
  }
  card.rows.push_back({tr("reads of others"), m_format.bytes(in)});
  card.rows.push_back({tr("gives to others"), m_format.bytes(out)});
  card.hint = isFolder(row) ? tr("Double click opens it, Backspace folds the folder around it")
                            : tr("Click selects, Backspace folds the folder around it");
  return card;
}

plot::Card GraphPlot::edgeCard(int index) const {
  const GraphEdge& edge = m_graph.edges[std::size_t(index)];
  const auto title = [&](int node) { return reportText(m_data->tree[std::size_t(m_graph.nodes[std::size_t(node)].row)].title); };
  plot::Card card;
  card.title = tr("%1 → %2").arg(title(edge.from), title(edge.to));
  for (std::size_t i = 0; i < edge.variables.size() && i < kListed; ++i) {
    const auto& variable = m_data->flow->variables.at(edge.variables[i]);
    card.rows.push_back({reportText(variable.name), tr("%1, %2").arg(reportText(variable.type), m_format.bytes(variable.bytes))});
  }
  if (edge.variables.size() > kListed)
    card.rows.push_back(
        {tr("and %1 more").arg(theme::count(int64_t(edge.variables.size()) - kListed)), m_format.bytes(edge.bytes)});
  if (edge.carried) card.hint = tr("Dashed: the values are those of the round, or the run, before");
  return card;
}

void GraphPlot::hover(const QPointF& at) {
  const int node = nodeAt(at), edge = node < 0 ? edgeAt(at) : -1;
  m_card->showAt(node >= 0 ? nodeCard(node) : edge >= 0 ? edgeCard(edge) : plot::Card(), at.toPoint());
  if (node == m_hoveredNode && edge == m_hoveredEdge) return;
  m_hoveredNode = node, m_hoveredEdge = edge;
  update();
}

void GraphPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (!m_isPlaced || !event->oldSize().isValid())
    showFirst();
  else
    keepInside();
}

void GraphPlot::wheelEvent(QWheelEvent* event) {
  zoomAt(event->position(), std::pow(1.0015, event->angleDelta().y()));
  event->accept();
}

void GraphPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  m_pressed = event->position(), m_atPressed = m_at;
  m_isDragging = false;
}

void GraphPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) return hover(event->position());
  const QPointF moved = event->position() - m_pressed;
  if (!m_isDragging && std::hypot(moved.x(), moved.y()) < kDragDistance) return;
  m_isDragging = true;
  m_card->showAt({}, {});
  m_at = m_atPressed + moved;
  keepInside();
  update();
}

void GraphPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || std::exchange(m_isDragging, false)) return;
  if (const QRectF map = minimap(); map.contains(event->position())) {
    const QPointF p = (event->position() - map.topLeft()) * (m_layout.width / map.width());
    m_at = QPointF(width() / 2.0, height() / 2.0) - p * m_scale;
    keepInside();
    return update();
  }
  if (const int node = nodeAt(event->position()); node >= 0) {
    m_selectedRow = m_graph.nodes[std::size_t(node)].row;
    update();
    emit rowClicked(m_selectedRow);
  }
}

void GraphPlot::mouseDoubleClickEvent(QMouseEvent* event) {
  const int node = nodeAt(event->position());
  if (node >= 0)
    toggleOpen(node, true);
  else
    m_isPlaced = false, showFirst(), update();
}

// The box, or the folder's first part, stays where it was in sight.
void GraphPlot::toggleOpen(int node, bool open) {
  int row = m_graph.nodes[std::size_t(node)].row;
  if (!open) row = m_data->tree[std::size_t(row)].parent;
  if (row < 0 || (open && !isFolder(row))) return;
  const QPointF before = boxOf(node).center();
  m_open[std::size_t(row)] = open;
  m_selectedRow = row;
  if (open)
    for (std::size_t i = 0; i < m_data->tree.size(); ++i)
      if (m_data->tree[i].parent == row) {
        m_selectedRow = int(i);
        break;
      }
  rebuild();
  if (const int now = nodeOfRow(m_selectedRow); now >= 0) m_at += before - boxOf(now).center();
  keepInside();
  emit rowClicked(m_selectedRow);
}

void GraphPlot::keyPressEvent(QKeyEvent* event) {
  const int selected = nodeOfRow(m_selectedRow);
  const auto go = [&](int node) {
    if (m_graph.nodes.empty()) return;
    m_selectedRow = m_graph.nodes[std::size_t(std::clamp(node, 0, int(m_graph.nodes.size()) - 1))].row;
    showSelected();
    update();
    emit rowClicked(m_selectedRow);
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
  case Qt::Key_Home: m_isPlaced = false, showAll(); return update();
  default: QWidget::keyPressEvent(event);
  }
}

void GraphPlot::leaveEvent(QEvent*) {
  m_hoveredNode = m_hoveredEdge = -1;
  m_card->showAt({}, {});
  update();
}

} // namespace ui::operations
