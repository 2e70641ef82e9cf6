#include "ui/plot/step_painter.h"

#include "ui/plot/step_columns.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui::plot {

namespace {
constexpr double kTurn = 14;          // pixels of a shared line for one curve, before the next curve's turn
constexpr int kStepsBack = 70;        // strength, out of 255, of the other curves while one is emphasised
constexpr int kFill = 46, kSpan = 36; // strengths, out of 255: below a filled curve; in an envelope
constexpr double kNarrowStep = 4;     // pixels
constexpr int kPinned = 8;            // pixels: a narrower selection has a pin above it instead of a frame around it
constexpr int kPinHead = 8;           // pixels

QColor translucent(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

// Merges neighbours of equal height into one rectangle.
template<class Rect> void addColumn(QVector<Rect>& rects, const Rect& column) {
  if (!rects.isEmpty()) {
    Rect& last = rects.last();
    if (last.top() == column.top() && last.height() == column.height() && last.x() + last.width() == column.x())
      return last.setWidth(last.width() + column.width());
  }
  rects.push_back(column);
}
} // namespace

StepPainter::StepPainter(QCustomPlot& plot, const theme::Theme& theme, const StepScene& scene)
    : QCPAbstractPlottable(plot.xAxis, plot.yAxis), m_theme(theme), m_scene(scene) {}

QCPRange StepPainter::getKeyRange(bool& found, QCP::SignDomain) const {
  found = m_scene.series.count() > 0;
  return {-0.5, double(m_scene.series.count()) - 0.5};
}

QCPRange StepPainter::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
  found = true;
  return {0, double(m_scene.series.highest())};
}

void StepPainter::draw(QCPPainter* painter) {
  painter->setAntialiasing(false);
  drawMarks(*painter);
  drawAreas(*painter);
  drawBand(*painter);
  std::vector<Drawn> curves;
  const bool areEnvelopes = drawsEnvelopes();
  for (std::size_t i = 0; i < m_scene.series.curves().size(); ++i)
    if (m_scene.series.isCurveShown(i)) curves.push_back(lineOf(i, areEnvelopes && isLine(m_scene.series.curves()[i])));
  shareLines(curves);
  const auto isFront = [this](const Drawn& curve) { return int(curve.index) == m_scene.emphasis; };
  std::stable_partition(curves.begin(), curves.end(), [&](const Drawn& curve) { return !isFront(curve); });
  for (const Drawn& curve : curves) drawSpans(*painter, curve); // below all lines, so that lines keep their colours
  for (const Drawn& curve : curves) drawCurve(*painter, curve);
  drawLimit(*painter, drawCaptions(*painter));
  drawSelection(*painter);
}

std::pair<int64_t, int64_t> StepPainter::positions(int x) const {
  const double low = mKeyAxis->pixelToCoord(x) + 0.5, high = mKeyAxis->pixelToCoord(x + 1) + 0.5;
  const auto first = int64_t(std::floor(low));
  return {first, std::max(first, int64_t(std::ceil(high)) - 1)};
}

int64_t StepPainter::peakAt(int x) const {
  const auto [first, last] = positions(x);
  // A column inside one step shows the position under its middle, so that edges match the axis.
  if (last - first <= 1) {
    const auto middle = int64_t(std::floor(mKeyAxis->pixelToCoord(x + 0.5) + 0.5));
    return middle >= 0 && middle < m_scene.series.count() ? middle : -1;
  }
  return columnPeak(m_scene.series.sums(), first, last);
}

void StepPainter::drawAreas(QCPPainter& painter) {
  if (m_scene.series.layers().empty()) return;
  const QRect rect = area();
  std::vector<QVector<QRect>> rects(m_scene.series.layers().size());
  for (int x = rect.left(); x <= rect.right();) {
    const int64_t peak = peakAt(x);
    int end = x + 1;
    while (end <= rect.right() && peakAt(end) == peak) ++end;
    if (peak >= 0) addStack(rects, x, end - x, peak);
    x = end;
  }
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < rects.size(); ++i) { // layer by layer: in an SVG each change of colour starts a new group
    painter.setBrush(m_scene.series.layers()[i].colour());
    painter.drawRects(rects[i]);
  }
}

void StepPainter::addStack(std::vector<QVector<QRect>>& rects, int x, int width, int64_t position) const {
  int64_t sum = 0;
  int bottom = int(std::lround(y(0)));
  // Wide steps leave a gap, so that single tiles read as bars.
  const int gap = width >= 6 ? 1 : 0;
  for (std::size_t i = 0; i < m_scene.series.layers().size(); ++i) {
    if (!m_scene.series.isLayerShown(i)) continue;
    const auto& values = *m_scene.series.layers()[i].values;
    const int64_t value = std::size_t(position) < values.size() ? values[std::size_t(position)] : 0;
    if (value <= 0) continue;
    sum += value;
    const int top =
        std::min(int(std::lround(y(double(sum)))), sum == value && bottom == int(std::lround(y(0))) ? bottom - 1 : bottom);
    if (top < bottom) addColumn(rects[i], QRect(x, top, width - gap, bottom - top));
    bottom = std::min(bottom, top);
  }
}

bool StepPainter::isLine(const Curve& curve) { return !curve.filled && !curve.dashed; }

// True for several curves with steps of a few pixels: a curve that changes with every tile would fill an area and hide the others.
bool StepPainter::drawsEnvelopes() const {
  int lines = 0;
  for (std::size_t i = 0; i < m_scene.series.curves().size(); ++i)
    lines += m_scene.series.isCurveShown(i) && isLine(m_scene.series.curves()[i]);
  return lines > 1 && mKeyAxis->coordToPixel(1) - mKeyAxis->coordToPixel(0) < kNarrowStep;
}

StepPainter::Drawn StepPainter::lineOf(std::size_t index, bool isEnvelope) const {
  const QRect rect = area();
  const auto& values = *m_scene.series.curves()[index].values;
  const auto count = int64_t(values.size());
  const double zero = y(0);
  Drawn drawn;
  drawn.index = index;
  for (int x = rect.left(); x <= rect.right(); ++x) {
    auto [first, last] = positions(x);
    drawn.tops.push_back(std::numeric_limits<double>::quiet_NaN());
    if (last < 0 || first >= count) continue;
    // An envelope includes one more position on each side.
    if (isEnvelope) first = std::max<int64_t>(0, first - 1), last = std::min(count - 1, last + 1);
    auto [low, high] = columnSpan(values, first, last);
    if (last - first <= 1 && !isEnvelope) {
      const auto middle = std::clamp<int64_t>(int64_t(std::floor(mKeyAxis->pixelToCoord(x + 0.5) + 0.5)), 0, count - 1);
      low = high = values[std::size_t(middle)];
    }
    const double top = y(double(high));
    if (high != 0) drawn.tops.back() = top;
    // High first, then low: both ends of the span are in the line, so a peak of one step keeps its height.
    drawn.line << QPointF(x + 0.5, top);
    if (isEnvelope && low != high)
      addColumn(drawn.spans, QRectF(x, top, 1, y(double(low)) - top));
    else if (low != high)
      drawn.line << QPointF(x + 0.5, y(double(low)));
    if (m_scene.series.curves()[index].filled) addColumn(drawn.spans, QRectF(x, std::min(top, zero), 1, std::abs(zero - top)));
  }
  return drawn;
}

// If two curves coincide in more than half of the columns in which either is drawn, they alternate on their common line there,
// because otherwise the last one would hide the other. Elsewhere each curve has its own line.
void StepPainter::shareLines(std::vector<Drawn>& curves) {
  const auto isSame = [](const Drawn& a, const Drawn& b, std::size_t x) {
    return std::abs(a.tops[x] - b.tops[x]) < 1.5;
  }; // not NaN
  const auto runTogether = [&](const Drawn& a, const Drawn& b) {
    std::size_t any = 0, same = 0;
    for (std::size_t x = 0; x < std::min(a.tops.size(), b.tops.size()); ++x) {
      any += !std::isnan(a.tops[x]) || !std::isnan(b.tops[x]);
      same += isSame(a, b, x);
    }
    return any > 0 && 2 * same > any;
  };
  std::vector<std::vector<Drawn*>> together;
  for (Drawn& curve : curves) {
    const auto group =
        std::find_if(together.begin(), together.end(), [&](const auto& others) { return runTogether(*others.front(), curve); });
    if (group == together.end())
      together.push_back({&curve});
    else
      group->push_back(&curve);
  }
  for (const auto& group : together)
    for (std::size_t i = 0; i < group.size() && group.size() > 1; ++i) {
      Drawn& curve = *group[i];
      curve.turns.resize(curve.tops.size());
      for (std::size_t other = 0; other < group.size(); ++other)
        for (std::size_t x = 0; other != i && x < std::min(curve.tops.size(), group[other]->tops.size()); ++x)
          if (isSame(curve, *group[other], x) || (std::isnan(curve.tops[x]) && std::isnan(group[other]->tops[x])))
            ++curve.turns[x].of, curve.turns[x].place += other < i;
    }
}

void StepPainter::drawBand(QCPPainter& painter) const {
  const QRectF rect = area();
  for (const StepBand& band : m_scene.bands) {
    const double left = mKeyAxis->coordToPixel(double(band.positions.begin) - 0.5),
                 right = mKeyAxis->coordToPixel(double(band.positions.end) - 0.5);
    const QRectF piece(QPointF(left, y(double(band.values.end))), QPointF(right, y(double(band.values.begin))));
    painter.fillRect(piece.intersected(rect), translucent(m_theme.tokens().text, kSpan));
  }
}

void StepPainter::drawSpans(QCPPainter& painter, const Drawn& drawn) const {
  const Curve& curve = m_scene.series.curves()[drawn.index];
  if (m_scene.emphasis >= 0 && int(drawn.index) != m_scene.emphasis) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(translucent(curve.colour(), curve.filled ? kFill : kSpan));
  painter.drawRects(drawn.spans);
}

void StepPainter::drawCurve(QCPPainter& painter, const Drawn& drawn) {
  const Curve& curve = m_scene.series.curves()[drawn.index];
  const bool isFront = int(drawn.index) == m_scene.emphasis, stepsBack = m_scene.emphasis >= 0 && !isFront;
  const QColor colour = stepsBack ? translucent(curve.colour(), kStepsBack) : curve.colour();
  const bool takesTurns = !isFront && isLine(curve) && !drawn.turns.empty();
  painter.setBrush(Qt::NoBrush);
  // A line that goes up and down within a pixel ends at its value: a mitre join would extend beyond it.
  // In front of areas, which may have the same colour, a line is drawn on a strip of the background.
  const bool onAreas = !curve.filled && !m_scene.series.layers().empty();
  const QPen strip = onAreas && !stepsBack
                         ? QPen(m_theme.tokens().surface, isFront ? 6 : 4.5, Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin)
                         : QPen(Qt::NoPen);
  const QPen pen(colour,
                 isFront   ? 3
                 : onAreas ? 2
                           : 1.6,
                 curve.dashed ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin);
  if (takesTurns) return drawTurns(painter, drawn, pen, strip);
  for (const QPen& each : {strip, pen}) {
    if (each.style() == Qt::NoPen) continue;
    painter.setPen(each);
    painter.drawPolyline(drawn.line);
  }
}

// On a line shared with other curves, this curve is drawn in dashes that alternate with theirs; between such pieces it is solid.
void StepPainter::drawTurns(QCPPainter& painter, const Drawn& drawn, const QPen& pen, const QPen& strip) {
  const double left = area().left();
  const auto at = [&](const QPointF& point) {
    const auto column = std::size_t(std::max(0.0, point.x() - left));
    return column < drawn.turns.size() ? drawn.turns[column] : Drawn::Turn();
  };
  const QPolygonF& line = drawn.line;
  // A segment alternates if the curve alternates in the same way at both ends.
  const auto between = [&](qsizetype i) { return at(line[i]) == at(line[i + 1]) ? at(line[i]) : Drawn::Turn(); };
  for (qsizetype begin = 0; begin + 1 < line.size();) {
    const Drawn::Turn turn = between(begin);
    qsizetype end = begin + 1;
    while (end + 1 < line.size() && between(end) == turn) ++end;
    const auto draw = [&](const QPen& with) {
      if (with.style() == Qt::NoPen) return;
      painter.setPen(with);
      painter.drawPolyline(line.constData() + begin, int(end - begin + 1));
    };
    if (turn.place == 0) draw(strip); // the strip of the first curve is enough for all
    QPen own = pen;
    if (turn.of > 1) { // lengths of a dash pattern are in pen widths
      own.setDashPattern({kTurn / pen.widthF(), kTurn * (turn.of - 1) / pen.widthF()});
      own.setDashOffset((line[begin].x() - kTurn * turn.place) / pen.widthF()); // dashes begin at the same pixels in all pieces
    }
    draw(own);
    begin = end;
  }
}

void StepPainter::drawMarks(QCPPainter& painter) {
  const QRect rect = area();
  painter.setPen(QPen(m_theme.tokens().line, 1));
  for (const auto& [position, caption] : m_scene.marks) {
    const int x = int(mKeyAxis->coordToPixel(double(position) - 0.5));
    if (x > rect.left() && x <= rect.right()) painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
  }
}

// Draws the captions over the data, each on its own background, so that a full plot cannot hide them. Returns the right end of
// the last caption.
int StepPainter::drawCaptions(QCPPainter& painter) {
  const QRect rect = area();
  const theme::Tokens& t = m_theme.tokens();
  painter.setFont(m_theme.small());
  const QFontMetrics metrics = painter.fontMetrics();
  int free = rect.left();
  for (const auto& [position, caption] : m_scene.marks) {
    const int x = int(mKeyAxis->coordToPixel(double(position) - 0.5));
    if (caption.isEmpty() || x < rect.left() - 1 || x > rect.right() || x < free) continue;
    // The caption starts right of the marked step, because that may be a bar as high as the plot.
    const int beside = int(mKeyAxis->coordToPixel(double(position) + 0.5));
    QRect plate(std::max(x, beside) + 3, rect.top() + 1, metrics.horizontalAdvance(caption) + 8, metrics.height() + 2);
    const bool meetsPin = std::any_of(m_scene.selection.begin(), m_scene.selection.end(), [&](const auto& range) {
      const double pin = mKeyAxis->coordToPixel(double(range.begin + range.end - 1) / 2);
      return pin + kPinHead > plate.left() && pin - kPinHead < plate.right() && pin > x + kPinHead;
    });
    if (meetsPin || plate.right() > rect.right()) plate.moveRight(std::max(x - kPinHead, rect.left() + plate.width()));
    if (plate.left() < free) continue; // this name would overlap the previous one
    painter.fillRect(plate, t.surface);
    painter.setPen(t.secondary);
    painter.drawText(plate, Qt::AlignCenter, caption);
    free = plate.right() + 6;
  }
  return free;
}

// The label is above the limit's line if the data and the captions leave room there; else in the line of the captions.
void StepPainter::drawLimit(QCPPainter& painter, int captionsEnd) {
  if (m_scene.limit <= 0) return;
  const QRect rect = area();
  const theme::Tokens& t = m_theme.tokens();
  painter.setFont(m_theme.small());
  const QFontMetrics metrics = painter.fontMetrics();
  const bool inView = mValueAxis->range().contains(double(m_scene.limit));
  const int at = int(std::lround(y(double(m_scene.limit))));
  const int width = metrics.horizontalAdvance(QStringLiteral("– – ") + m_scene.limitLabel) + 8;
  const bool isFree = inView && at - 2 - metrics.height() >= rect.top() && rect.right() - width > captionsEnd &&
                      m_scene.series.highest() <= m_scene.limit;
  // In the line of the caption, a symbol says where the line is: further up, or visible and dashed.
  const QString label = (isFree ? QString() : inView ? QStringLiteral("– – ") : QStringLiteral("↑ ")) + m_scene.limitLabel;
  const QRect box(rect.right() - width, (isFree ? at : rect.top() - 3) - 2 - metrics.height(), width, metrics.height());
  if (inView) {
    // The text is on its own strip, so that it is visible in front of any area.
    painter.fillRect(QRect(rect.left(), at - 1, rect.width(), 3), translucent(t.surface, 215));
    painter.setPen(QPen(t.bad, 1, Qt::DashLine));
    painter.drawLine(QPointF(rect.left(), at), QPointF(rect.right(), at));
  }
  painter.setClipping(isFree);
  painter.setPen(inView ? t.bad : t.secondary);
  painter.drawText(box, isFree ? Qt::AlignCenter : Qt::AlignRight | Qt::AlignVCenter, label);
  painter.setClipRect(rect);
}

// The pin is above the step that it marks and does not cover it.
void StepPainter::drawPin(QCPPainter& painter, int x, int foot, const QColor& colour) {
  const int top = area().top();
  foot = std::max(foot, top + kPinHead);
  painter.drawLine(QPointF(x, top), QPointF(x, foot - kPinHead));
  painter.setBrush(colour);
  painter.drawPolygon(QPolygon({{x - kPinHead / 2, foot - kPinHead}, {x + kPinHead / 2, foot - kPinHead}, {x, foot}}));
}

void StepPainter::drawSelection(QCPPainter& painter) {
  const QRect rect = area();
  const QColor colour = m_scene.selectionColour ? m_scene.selectionColour() : m_theme.tokens().accent;
  for (const auto& range : m_scene.selection) {
    const int left = std::max(rect.left() - 1, int(std::floor(mKeyAxis->coordToPixel(double(range.begin) - 0.5))));
    const int right = std::min(rect.right() + 1, int(std::ceil(mKeyAxis->coordToPixel(double(range.end) - 0.5))));
    if (right < rect.left() || left > rect.right()) continue;
    painter.fillRect(QRect(left - 1, rect.bottom() - 1, std::max(4, right - left + 2), 4), colour);
    painter.setPen(QPen(colour, 1));
    if (right - left < kPinned) {
      drawPin(painter, (left + right) / 2, int(y(double(m_scene.series.highestOf(range)))) - 2, colour);
      continue;
    }
    painter.setBrush(translucent(colour, 28));
    painter.drawRect(left, rect.top(), right - left, rect.height());
  }
}

} // namespace ui::plot
