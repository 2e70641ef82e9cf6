#include "ui/plot/step_plot.h"

#include "ui/plot/gestures.h"
#include "ui/plot/spoken.h"
#include "ui/plot/step_canvas.h"
#include "ui/plot/step_words.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace ui::plot {

StepPlot::StepPlot(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_canvas(new StepCanvas(theme, m_scene, *this, [this] { rescaleValues(); })),
      m_card([this](int64_t position) { return stepCard(m_scene, position); }), m_hoverCard(new HoverCard(theme, this)) {
  m_scene.name = name;
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  makeSpoken(*this); // before the name is set
  makeSilent(*m_canvas);
  setAccessibleName(name);
  setProperty("picture", true);
  setMinimumSize(240, 120);
  connect(m_canvas, &QCustomPlot::afterReplot, this, &StepPlot::painted);
  connect(&theme, &theme::Theme::changed, m_canvas, &StepCanvas::restyle);
  connect(&theme, &theme::Theme::posed, m_canvas, &StepCanvas::restyle);
  m_canvas->restyle();
}

void StepPlot::redraw() { m_canvas->replot(QCustomPlot::rpQueuedReplot); }
void StepPlot::paintNow() { m_canvas->replot(QCustomPlot::rpImmediateRefresh); }

QSize StepPlot::sizeHint() const { return m_canvas->sizeHint(); }
QSize StepPlot::minimumSizeHint() const { return m_canvas->minimumSizeHint(); }

QRect StepPlot::axes() const { return m_canvas->axisRect()->rect(); }
double StepPlot::pixelAt(double position) const { return m_canvas->xAxis->coordToPixel(position); }
double StepPlot::pixelOf(double value) const { return m_canvas->yAxis->coordToPixel(value); }
std::pair<double, double> StepPlot::shownPositions() const {
  return {m_canvas->xAxis->range().lower, m_canvas->xAxis->range().upper};
}

void StepPlot::setAxes(const QString& xTitle, int64_t count, const QString& yTitle, ValueKind kind) {
  const bool other = count != m_scene.series.count();
  m_scene.series.setCount(count);
  m_scene.xTitle = xTitle, m_scene.yTitle = yTitle, m_scene.kind = kind;
  m_canvas->xAxis->setLabel(xTitle);
  m_canvas->setCaption(yTitle);
  if (other) m_cursor = m_hovered = -1, fit();
  showValues();
}

void StepPlot::forget() {
  setMarks({}), setSelection({}), setLimit(0, {});
  setLayers({}), setCurves({});
  setAxes({}, 0, {}, m_scene.kind);
}

void StepPlot::setLayers(std::vector<AreaLayer> layers) {
  m_scene.series.setLayers(std::move(layers));
  showValues();
}

void StepPlot::setLayersShown(const std::vector<bool>& shown) {
  m_scene.series.setLayersShown(shown);
  showValues();
}

void StepPlot::setCurves(std::vector<Curve> curves) {
  m_scene.series.setCurves(std::move(curves));
  m_scene.emphasis = -1;
  showValues();
}

void StepPlot::setCurvesShown(const std::vector<bool>& shown) {
  m_scene.series.setCurvesShown(shown);
  m_scene.emphasis = -1;
  showValues();
}

void StepPlot::showValues() {
  rescaleValues();
  emit valuesChanged();
}

void StepPlot::setEmphasis(int curve) {
  if (curve < 0 || curve >= int(m_scene.series.curves().size())) curve = -1;
  if (curve == m_scene.emphasis) return;
  m_scene.emphasis = curve;
  redraw();
}

void StepPlot::setFirstPosition(int64_t number) { m_canvas->xAxis->ticker()->setTickOrigin(-double(number)); }

void StepPlot::setLimit(int64_t value, const QString& label, bool inView) {
  m_scene.limit = value, m_scene.limitLabel = value > 0 ? label : QString(), m_scene.isLimitInView = inView;
  rescaleValues();
}

void StepPlot::shareScale(StepPlot* twin) {
  m_scene.twinsHighest = twin ? twin->m_scene.series.highest() : 0;
  rescaleValues();
  if (!twin) return;
  twin->m_scene.twinsHighest = m_scene.series.highest();
  twin->rescaleValues();
}

void StepPlot::setLogarithmic(bool logarithmic) {
  m_scene.isLogarithmic = logarithmic;
  m_canvas->setLogarithmic(logarithmic);
  rescaleValues();
}

void StepPlot::setBands(std::vector<StepBand> bands) {
  m_scene.bands = std::move(bands);
  redraw();
}

void StepPlot::setMarks(std::vector<std::pair<int64_t, QString>> marks) {
  std::sort(marks.begin(), marks.end()); // each name is drawn where the one before it leaves space
  m_scene.marks = std::move(marks);
  rescaleValues();
}

void StepPlot::setFormat(const theme::Format& format) {
  m_scene.format = format;
  describeIt();
  redraw();
}

void StepPlot::setPositionText(std::function<QString(int64_t)> text) {
  m_scene.textOfPosition = std::move(text);
  describeIt();
}

void StepPlot::setSelection(std::vector<reports::Range<int64_t>> positions) {
  m_scene.selection = std::move(positions);
  redraw();
}

void StepPlot::rescaleValues() {
  int64_t high = std::max(m_scene.series.highest(), m_scene.twinsHighest);
  const int64_t low = m_scene.series.lowest();
  if (m_scene.isLimitInView) high = std::max(high, m_scene.limit);
  if (high == 0 && low == 0) high = 1;
  // Captions of marks, and the limit's label, are above the data and above a visible limit.
  const bool captions =
      std::any_of(m_scene.marks.begin(), m_scene.marks.end(), [](const auto& mark) { return !mark.second.isEmpty(); });
  m_canvas->updateLayout(); // labels of axes take some of the height, too
  const double plate = QFontMetrics(m_theme.small()).height() + 5, tall = std::max(2 * plate, double(axes().height()));
  const double room = captions || (m_scene.isLimitInView && m_scene.limit > 0) ? std::max(1.06, 1 / (1 - plate / tall)) : 1.06;
  if (m_scene.isLogarithmic) {
    const double from = double(m_scene.series.lowestAboveZero()) / 1.3;
    m_canvas->yAxis->setRange(from, from * std::pow(std::max(2.0, double(high) / from), room));
  } else {
    m_canvas->yAxis->setRange(double(low) * 1.06, double(high) * room);
  }
  describeIt();
  redraw();
}

reports::Range<int64_t> StepPlot::visible() const {
  return {std::max<int64_t>(0, int64_t(std::floor(m_canvas->xAxis->range().lower + 0.5))),
          std::min(m_scene.series.count(), int64_t(std::ceil(m_canvas->xAxis->range().upper + 0.5)))};
}

void StepPlot::setVisible(reports::Range<int64_t> range) { moveTo(double(range.begin) - 0.5, double(range.end) - 0.5); }
void StepPlot::fit() { moveTo(-0.5, double(std::max<int64_t>(m_scene.series.count(), 1)) - 0.5); }

void StepPlot::setGutter(int pixels) { m_canvas->setGutter(pixels); }

void StepPlot::zoom(double factor) {
  const QCPRange r = m_canvas->xAxis->range();
  const double half = r.size() * factor / 2;
  moveTo(r.center() - half, r.center() + half);
}

void StepPlot::moveTo(double begin, double end) {
  const double low = -0.5, high = double(std::max<int64_t>(m_scene.series.count(), 1)) - 0.5;
  const double size = std::clamp(end - begin, std::min(4.0, high - low), high - low);
  begin = std::clamp(begin, low, high - size);
  if (m_canvas->xAxis->range() == QCPRange(begin, begin + size)) return;
  m_canvas->xAxis->setRange(begin, begin + size);
  redraw();
  emit visibleChanged(visible());
}

int64_t StepPlot::positionAt(double x) const {
  const QRect rect = axes();
  if (x < rect.left() || x > rect.right() || m_scene.series.count() == 0) return -1;
  const auto position = int64_t(std::floor(m_canvas->xAxis->pixelToCoord(x) + 0.5));
  return position < 0 || position >= m_scene.series.count() ? -1 : position;
}

// Ends outside the axes mean the first or last visible position.
reports::Range<int64_t> StepPlot::draggedTo(double x) const {
  const QRect rect = axes();
  const auto inside = [&](double end) { return positionAt(std::clamp(end, double(rect.left()), double(rect.right()))); };
  const int64_t a = inside(m_pressed.x()), b = inside(x);
  return a < 0 || b < 0 ? reports::Range<int64_t>() : reports::Range<int64_t>{std::min(a, b), std::max(a, b) + 1};
}

void StepPlot::describeIt() {
  describe(*this, stepWords(m_scene),
           tr("Arrow keys move the cursor, Enter selects, W and S zoom, A and D pan, F shows everything, Ctrl+Shift+T lists the "
              "figures in a table"));
}

void StepPlot::hover(int64_t position, const QPoint& at) {
  m_canvas->showCursor(position);
  if (position != m_hovered) {
    m_hovered = position;
    m_canvas->paintCursor();
    emit positionHovered(position);
  }
  m_hoverCard->showAt(position < 0 ? Card() : m_card(position), at);
}

void StepPlot::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() != Qt::LeftButton) return;
  m_pressed = event->pos();
  m_pressBegin = m_canvas->xAxis->range().lower;
  m_dragging = false;
  m_selecting = event->modifiers() & Qt::ShiftModifier;
}

void StepPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) {
    hover(positionAt(event->position().x()), event->pos());
    return;
  }
  if (!m_dragging && (event->pos() - m_pressed).manhattanLength() < kDragSlop) return;
  m_dragging = true;
  if (m_selecting) {
    if (const auto dragged = draggedTo(event->position().x()); !dragged.empty()) setSelection({dragged});
    return;
  }
  setCursor(Qt::ClosedHandCursor);
  const double perPixel = m_canvas->xAxis->range().size() / std::max(1, axes().width());
  const double begin = m_pressBegin - (event->pos().x() - m_pressed.x()) * perPixel;
  moveTo(begin, begin + m_canvas->xAxis->range().size());
}

void StepPlot::mouseReleaseEvent(QMouseEvent* event) {
  unsetCursor();
  if (event->button() != Qt::LeftButton) return;
  if (!m_dragging) {
    m_cursor = positionAt(event->position().x());
    emit positionClicked(m_cursor, event->modifiers());
  } else if (const auto dragged = draggedTo(event->position().x()); m_selecting && !dragged.empty()) {
    emit rangeDragged(dragged.begin, dragged.end - 1, event->modifiers());
  }
  m_dragging = m_selecting = false;
}

void StepPlot::mouseDoubleClickEvent(QMouseEvent* event) {
  const int64_t position = positionAt(event->position().x());
  if (position >= 0) emit positionActivated(position);
}

void StepPlot::wheelEvent(QWheelEvent* event) {
  const QPoint turn = event->angleDelta();
  if (std::abs(turn.x()) > std::abs(turn.y())) {
    const double by = -turn.x() / 1200.0 * m_canvas->xAxis->range().size();
    moveTo(m_canvas->xAxis->range().lower + by, m_canvas->xAxis->range().upper + by);
  } else if (turn.y() != 0) {
    const double factor = std::pow(kWheelZoom, -turn.y() / 120.0);
    const double at = m_canvas->xAxis->pixelToCoord(event->position().x());
    const QCPRange r = m_canvas->xAxis->range();
    moveTo(at - (at - r.lower) * factor, at + (r.upper - at) * factor);
  }
  event->accept();
}

void StepPlot::keyPressEvent(QKeyEvent* event) {
  const auto pan = [this](double share) {
    const double by = share * m_canvas->xAxis->range().size();
    moveTo(m_canvas->xAxis->range().lower + by, m_canvas->xAxis->range().upper + by);
  };
  const auto moveCursor = [&](int64_t by) {
    if (m_scene.series.count() == 0) return;
    if (m_cursor < 0) m_cursor = by > 0 ? visible().begin - 1 : visible().end;
    m_cursor = std::clamp<int64_t>(m_cursor + by, 0, m_scene.series.count() - 1);
    if (!visible().contains(m_cursor)) pan(by > 0 ? 0.5 : -0.5);
    hover(m_cursor, QPoint(int(pixelAt(double(m_cursor))), axes().top() + 8));
    speak(*this, wordsOf(m_card(m_cursor)));
  };
  switch (event->key()) {
  case Qt::Key_Left: return moveCursor(event->modifiers() & Qt::ControlModifier ? -10 : -1);
  case Qt::Key_Right: return moveCursor(event->modifiers() & Qt::ControlModifier ? 10 : 1);
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_cursor >= 0) emit positionClicked(m_cursor, event->modifiers());
    return;
  case Qt::Key_Escape:
    hover(-1, {});
    emit positionClicked(-1, {});
    return;
  case Qt::Key_W:
  case Qt::Key_Plus: return zoom(1 / 1.5);
  case Qt::Key_S:
  case Qt::Key_Minus: return zoom(1.5);
  case Qt::Key_A: return pan(-0.2);
  case Qt::Key_D: return pan(0.2);
  case Qt::Key_F:
  case Qt::Key_Home: return fit();
  default: QWidget::keyPressEvent(event);
  }
}

void StepPlot::leaveEvent(QEvent* event) {
  hover(-1, {});
  QWidget::leaveEvent(event);
}

void StepPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) redraw();
}

void StepPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_canvas->setGeometry(rect());
}

} // namespace ui::plot
