#include "ui/plot/step_plot.h"

#include "ui/plot/axes_style.h"
#include "ui/plot/frame.h"
#include "ui/plot/gestures.h"
#include "ui/plot/spoken.h"
#include "ui/plot/step_plot_painter.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kPositionTicks = 8, kValueTicks = 6;
constexpr int kLabelRoom = 24;                  // pixels from one value to the next
constexpr int kBetweenLabels = 20;              // pixels between two labels
constexpr int kAboveAxes = 32, kBelowAxes = 40; // the caption keeps clear of the highest label
constexpr int kAround = kAboveAxes + kBelowAxes;
} // namespace

// Labels whole positions only, through the plot's own text; as many as stand apart.
class StepPlot::PositionTicker : public QCPAxisTicker {
public:
  explicit PositionTicker(const StepPlot& plot) : m_plot(plot) {}

protected:
  double getTickStep(const QCPRange& range) override {
    const int label = QFontMetrics(m_plot.m_theme.small()).horizontalAdvance(theme::count(m_plot.m_count)) + kBetweenLabels;
    const int most = std::clamp(m_plot.axisRect()->width() / std::max(1, label), 1, kPositionTicks);
    return std::max(1.0, cleanMantissaAbove(range.size() / most));
  }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    const auto position = int64_t(std::llround(tick));
    return m_plot.m_positionText && position >= 0 && position < m_plot.m_count ? m_plot.m_positionText(position)
                                                                               : theme::count(position);
  }

private:
  // 1, 2, 2.5 or 5 times a power of ten, never below `least`: rounding down would bring labels that touch.
  static double cleanMantissaAbove(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double m : {1.0, 2.0, 2.5, 5.0})
      if (m * power >= least && (m != 2.5 || power >= 10)) return m * power;
    return 10 * power;
  }
  const StepPlot& m_plot;
};

// Labels values with their unit; steps of bytes are powers of two in binary units, so that ticks read 128 KiB, 256 KiB.
class StepPlot::ValueTicker : public QCPAxisTicker {
public:
  explicit ValueTicker(const StepPlot& plot) : m_plot(plot) {}

protected:
  double getTickStep(const QCPRange& range) override {
    const int most = std::clamp(m_plot.axisRect()->height() / kLabelRoom, 1, kValueTicks);
    const double least = range.size() / most;
    if (m_plot.m_kind == ValueKind::Bytes && m_plot.m_format.units().memory == theme::MemoryUnit::Binary)
      return std::max(1.0, std::exp2(std::ceil(std::log2(std::max(least, 1.0)))));
    // Round in the unit that is printed.
    if (m_plot.m_kind == ValueKind::Cycles && m_plot.m_format.showsSeconds())
      return cleanMantissa(least / m_plot.m_format.clockHz()) * m_plot.m_format.clockHz();
    return std::max(1.0, cleanMantissa(least));
  }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    const auto value = int64_t(std::llround(tick));
    // The caption of such an axis says cycles already.
    if (m_plot.m_kind == ValueKind::Cycles && !m_plot.m_format.showsSeconds())
      return theme::withoutZeros(theme::countShort(double(value)));
    return theme::withoutZeros(m_plot.valueText(value));
  }

private:
  const StepPlot& m_plot;
};

// Powers, labelled as the values are: of four for bytes, of ten for the rest.
class StepPlot::LogTicker : public QCPAxisTickerLog {
public:
  explicit LogTicker(const StepPlot& plot) : m_plot(plot) {
    setLogBase(plot.m_kind == ValueKind::Bytes && plot.m_format.units().memory == theme::MemoryUnit::Binary ? 4 : 10);
    setSubTickCount(0);
  }

protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return theme::withoutZeros(m_plot.valueText(int64_t(std::llround(tick))));
  }

private:
  const StepPlot& m_plot;
};

StepPlot::StepPlot(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QCustomPlot(parent), m_theme(theme), m_name(name), m_hoverCard(new HoverCard(theme, this)) {
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_NoMousePropagation, false); // QCustomPlot sets it; a right click is for the view's picture menu
  setMouseTracking(true);
  makeSpoken(*this); // before its name is told
  setAccessibleName(name);
  setProperty("picture", true);
  setMinimumSize(240, 120);
  setPlottingHint(QCP::phFastPolylines, true);
  m_painter = new Painter(*this); // owned by the plot
  xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new PositionTicker(*this)));
  yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new ValueTicker(*this)));
  yAxis->setTickLabelPadding(6);
  axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
  axisRect()->setMargins(QMargins(0, kAboveAxes, 16, 0));
  setGutter(56);
  layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
  auto* cursor = new QCPItemStraightLine(this);
  cursor->setLayer(QStringLiteral("overlay"));
  cursor->setVisible(false);
  auto* caption = new QCPItemText(this);
  caption->setClipToAxisRect(false);
  caption->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  caption->position->setType(QCPItemPosition::ptViewportRatio);
  caption->position->setCoords(0, 0);
  caption->setPadding(QMargins(14, 7, 0, 0));
  connect(&theme, &theme::Theme::changed, this, &StepPlot::restyle);
  connect(&theme, &theme::Theme::posed, this, &StepPlot::restyle);
  restyle();
}

StepPlot::~StepPlot() = default;

void StepPlot::restyle() {
  const theme::Tokens& t = m_theme.tokens();
  styleAxes(*this, m_theme);
  if (auto* cursor = qobject_cast<QCPItemStraightLine*>(item(0))) cursor->setPen(QPen(t.secondary, 1));
  if (auto* caption = qobject_cast<QCPItemText*>(item(1))) caption->setColor(t.secondary), caption->setFont(m_theme.small());
  replot(rpQueuedReplot);
}

void StepPlot::setAxes(const QString& xTitle, int64_t count, const QString& yTitle, ValueKind kind) {
  const bool other = count != m_count;
  m_count = std::max<int64_t>(count, 0), m_kind = kind;
  xAxis->setLabel(xTitle);
  if (auto* caption = qobject_cast<QCPItemText*>(item(1))) caption->setText(yTitle);
  if (other) m_cursor = m_hovered = -1, fit();
  rescaleValues();
  emit valuesChanged();
}

void StepPlot::forget() {
  setMarks({}), setSelection({}), setLimit(0, {});
  setLayers({}), setCurves({});
  setAxes({}, 0, {}, m_kind);
}

void StepPlot::setLayers(std::vector<AreaLayer> layers) {
  std::vector<bool> shown(layers.size(), true);
  for (std::size_t i = 0; i < std::min(shown.size(), m_layersShown.size()); ++i) shown[i] = m_layersShown[i];
  m_layers = std::move(layers);
  setLayersShown(shown);
}

void StepPlot::setCurves(std::vector<Curve> curves) {
  std::vector<bool> shown(curves.size(), true);
  for (std::size_t i = 0; i < std::min(shown.size(), m_curvesShown.size()); ++i) shown[i] = m_curvesShown[i];
  m_curves = std::move(curves);
  setCurvesShown(shown);
}

void StepPlot::setLayersShown(const std::vector<bool>& shown) {
  m_layersShown = shown;
  m_layersShown.resize(m_layers.size(), true);
  m_sums.assign(std::size_t(m_count), 0);
  for (std::size_t i = 0; i < m_layers.size(); ++i) {
    if (!m_layersShown[i]) continue;
    const auto& values = *m_layers[i].values;
    for (std::size_t p = 0; p < std::min(values.size(), m_sums.size()); ++p) m_sums[p] += std::max<int64_t>(values[p], 0);
  }
  rescaleValues();
  emit valuesChanged();
}

void StepPlot::setEmphasis(int curve) {
  if (curve < 0 || curve >= int(m_curves.size())) curve = -1;
  if (curve == m_emphasis) return;
  m_emphasis = curve;
  replot(rpQueuedReplot);
}

void StepPlot::setCurvesShown(const std::vector<bool>& shown) {
  m_curvesShown = shown;
  m_curvesShown.resize(m_curves.size(), true);
  m_emphasis = -1;
  rescaleValues();
  emit valuesChanged();
}

void StepPlot::setFirstPosition(int64_t number) { xAxis->ticker()->setTickOrigin(-double(number)); }

void StepPlot::setLimit(int64_t value, const QString& label, bool inView) {
  m_limit = value, m_limitLabel = label, m_limitInView = inView;
  rescaleValues();
}

void StepPlot::setLogarithmic(bool logarithmic) {
  m_logarithmic = logarithmic;
  yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  yAxis->setTicker(
      QSharedPointer<QCPAxisTicker>(logarithmic ? static_cast<QCPAxisTicker*>(new LogTicker(*this)) : new ValueTicker(*this)));
  rescaleValues();
}

void StepPlot::setBands(std::vector<Band> bands) {
  m_bands = std::move(bands);
  replot(rpQueuedReplot);
}

void StepPlot::setMarks(std::vector<std::pair<int64_t, QString>> marks) {
  m_marks = std::move(marks);
  rescaleValues();
}

void StepPlot::setFormat(const theme::Format& format) {
  m_format = format;
  describeIt();
  replot(rpQueuedReplot);
}

void StepPlot::setPositionText(std::function<QString(int64_t)> text) {
  m_positionText = std::move(text);
  describeIt();
}

void StepPlot::setCard(std::function<Card(int64_t)> card) { m_card = std::move(card); }

void StepPlot::setSelection(std::vector<reports::Range<int64_t>> positions) {
  m_selection = std::move(positions);
  replot(rpQueuedReplot);
}

int64_t StepPlot::highest() const { return highestOf({0, m_count}); }

int64_t StepPlot::highestOf(reports::Range<int64_t> positions) const {
  int64_t high = 0;
  const auto look = [&](const std::vector<int64_t>& values) {
    const auto end = std::size_t(std::clamp<int64_t>(positions.end, 0, int64_t(values.size())));
    for (auto i = std::size_t(std::max<int64_t>(0, positions.begin)); i < end; ++i) high = std::max(high, values[i]);
  };
  look(m_sums);
  for (std::size_t i = 0; i < m_curves.size(); ++i)
    if (m_curvesShown[i]) look(*m_curves[i].values);
  return high;
}

std::vector<int64_t> StepPlot::outline() const {
  std::vector<int64_t> high = m_sums;
  high.resize(std::size_t(m_count));
  for (std::size_t i = 0; i < m_curves.size(); ++i) {
    if (!m_curvesShown[i]) continue;
    const auto& values = *m_curves[i].values;
    for (std::size_t p = 0; p < std::min(values.size(), high.size()); ++p) high[p] = std::max(high[p], values[p]);
  }
  return high;
}

int64_t StepPlot::lowestAboveZero() const {
  int64_t low = INT64_MAX;
  const auto look = [&low](const std::vector<int64_t>& values) {
    for (const int64_t v : values)
      if (v > 0) low = std::min(low, v);
  };
  look(m_sums);
  for (std::size_t i = 0; i < m_curves.size(); ++i)
    if (m_curvesShown[i]) look(*m_curves[i].values);
  return low == INT64_MAX ? 1 : low;
}

void StepPlot::rescaleValues() {
  int64_t high = highest(), low = 0;
  for (std::size_t i = 0; i < m_curves.size(); ++i)
    if (m_curvesShown[i])
      for (const int64_t v : *m_curves[i].values) low = std::min(low, v);
  if (m_limitInView) high = std::max(high, m_limit);
  if (high == 0 && low == 0) high = 1;
  // Captions of marks stand above the data and above a limit that is drawn; so does the limit's label.
  const bool captions = std::any_of(m_marks.begin(), m_marks.end(), [](const auto& mark) { return !mark.second.isEmpty(); });
  updateLayout(); // labels of axes take some of the height, too
  const double plate = QFontMetrics(m_theme.small()).height() + 5, tall = std::max(2 * plate, double(axisRect()->height()));
  const double room = captions || (m_limitInView && m_limit > 0) ? std::max(1.06, 1 / (1 - plate / tall)) : 1.06;
  if (m_logarithmic) {
    const double from = double(lowestAboveZero()) / 1.3;
    yAxis->setRange(from, from * std::pow(std::max(2.0, double(high) / from), room));
  } else {
    yAxis->setRange(double(low) * 1.06, double(high) * room);
  }
  describeIt();
  replot(rpQueuedReplot);
}

void StepPlot::setSelectionColour(std::function<QColor()> colour) { m_selectionColour = std::move(colour); }

reports::Range<int64_t> StepPlot::visible() const {
  return {std::max<int64_t>(0, int64_t(std::floor(xAxis->range().lower + 0.5))),
          std::min(m_count, int64_t(std::ceil(xAxis->range().upper + 0.5)))};
}

void StepPlot::setVisible(reports::Range<int64_t> range) { moveTo(double(range.begin) - 0.5, double(range.end) - 0.5); }
void StepPlot::fit() { moveTo(-0.5, double(std::max<int64_t>(m_count, 1)) - 0.5); }

void StepPlot::setGutter(int pixels) { axisRect()->setMinimumMargins(QMargins(pixels, kAboveAxes, 16, kBelowAxes)); }

void StepPlot::zoom(double factor) {
  const QCPRange r = xAxis->range();
  const double half = r.size() * factor / 2;
  moveTo(r.center() - half, r.center() + half);
}

void StepPlot::moveTo(double begin, double end) {
  const double low = -0.5, high = double(std::max<int64_t>(m_count, 1)) - 0.5;
  const double size = std::clamp(end - begin, std::min(4.0, high - low), high - low);
  begin = std::clamp(begin, low, high - size);
  if (xAxis->range() == QCPRange(begin, begin + size)) return;
  xAxis->setRange(begin, begin + size);
  replot(rpQueuedReplot);
  emit visibleChanged(visible());
}

int64_t StepPlot::positionAt(double x) const {
  const QRect rect = axisRect()->rect();
  if (x < rect.left() || x > rect.right() || m_count == 0) return -1;
  const auto position = int64_t(std::floor(xAxis->pixelToCoord(x) + 0.5));
  return position < 0 || position >= m_count ? -1 : position;
}

QString StepPlot::valueText(int64_t value) const {
  switch (m_kind) {
  case ValueKind::Bytes: return m_format.bytes(reports::Bytes(value));
  case ValueKind::Cycles: return m_format.cycles(reports::Cycles(value));
  case ValueKind::Share: return theme::percent(double(value) / 1e6);
  case ValueKind::Count: break;
  }
  return theme::countShort(double(value));
}

Card StepPlot::standardCard(int64_t position) const {
  Card card;
  card.title = xAxis->label() + ' ' + positionText(position);
  const auto at = std::size_t(position);
  int64_t sum = 0;
  for (std::size_t i = m_layers.size(); i-- > 0;) {
    if (!m_layersShown[i] || at >= m_layers[i].values->size()) continue;
    const int64_t v = (*m_layers[i].values)[at];
    sum += v;
    if (v != 0) card.rows.push_back({m_layers[i].title, valueText(v), m_layers[i].colour()});
  }
  if (m_layers.size() > 1) card.rows.push_back({tr("Total"), valueText(sum), {}});
  for (std::size_t i = 0; i < m_curves.size(); ++i)
    if (m_curvesShown[i] && at < m_curves[i].values->size())
      card.rows.push_back({m_curves[i].title, valueText((*m_curves[i].values)[at]), m_curves[i].colour()});
  return card;
}

void StepPlot::hover(int64_t position, const QPoint& at) {
  auto* cursor = qobject_cast<QCPItemStraightLine*>(item(0));
  cursor->setVisible(position >= 0);
  if (position >= 0) {
    cursor->point1->setCoords(double(position), 0);
    cursor->point2->setCoords(double(position), 1);
  }
  if (position != m_hovered) {
    m_hovered = position;
    layer(QStringLiteral("overlay"))->replot();
    emit positionHovered(position);
  }
  m_hoverCard->showAt(position < 0 ? Card() : m_card ? m_card(position) : standardCard(position), at);
}

void StepPlot::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() != Qt::LeftButton) return;
  m_pressed = event->pos();
  m_pressBegin = xAxis->range().lower;
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
    const int64_t a = positionAt(m_pressed.x()), b = positionAt(event->position().x());
    if (a >= 0 && b >= 0) setSelection({{std::min(a, b), std::max(a, b) + 1}});
    return;
  }
  setCursor(Qt::ClosedHandCursor);
  const double perPixel = xAxis->range().size() / std::max(1, axisRect()->width());
  const double begin = m_pressBegin - (event->pos().x() - m_pressed.x()) * perPixel;
  moveTo(begin, begin + xAxis->range().size());
}

void StepPlot::mouseReleaseEvent(QMouseEvent* event) {
  unsetCursor();
  if (event->button() != Qt::LeftButton) return;
  const int64_t a = positionAt(m_pressed.x()), b = positionAt(event->position().x());
  if (!m_dragging) {
    m_cursor = b;
    emit positionClicked(b, event->modifiers());
  } else if (m_selecting && a >= 0 && b >= 0) {
    emit rangeDragged(std::min(a, b), std::max(a, b), event->modifiers());
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
    const double by = -turn.x() / 1200.0 * xAxis->range().size();
    moveTo(xAxis->range().lower + by, xAxis->range().upper + by);
  } else if (turn.y() != 0) {
    const double factor = std::pow(kWheelZoom, -turn.y() / 120.0);
    const double at = xAxis->pixelToCoord(event->position().x());
    const QCPRange r = xAxis->range();
    moveTo(at - (at - r.lower) * factor, at + (r.upper - at) * factor);
  }
  event->accept();
}

void StepPlot::keyPressEvent(QKeyEvent* event) {
  const auto pan = [this](double share) {
    const double by = share * xAxis->range().size();
    moveTo(xAxis->range().lower + by, xAxis->range().upper + by);
  };
  const auto moveCursor = [&](int64_t by) {
    if (m_count == 0) return;
    if (m_cursor < 0) m_cursor = by > 0 ? visible().begin - 1 : visible().end;
    m_cursor = std::clamp<int64_t>(m_cursor + by, 0, m_count - 1);
    if (!visible().contains(m_cursor)) pan(by > 0 ? 0.5 : -0.5);
    hover(m_cursor, QPoint(int(xAxis->coordToPixel(double(m_cursor))), axisRect()->top() + 8));
    speak(*this, wordsOf(m_card ? m_card(m_cursor) : standardCard(m_cursor)));
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
  default: QCustomPlot::keyPressEvent(event);
  }
}

void StepPlot::leaveEvent(QEvent* event) {
  hover(-1, {});
  QCustomPlot::leaveEvent(event);
}

void StepPlot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) replot(rpQueuedReplot);
}

void StepPlot::resizeEvent(QResizeEvent* event) {
  QCustomPlot::resizeEvent(event);
  rescaleValues(); // captions take pixels, not a share
}

void StepPlot::paintEvent(QPaintEvent* event) {
  QCustomPlot::paintEvent(event);
  QPainter painter(this);
  paintFrame(painter, *this, m_theme);
}

} // namespace ui::plot
