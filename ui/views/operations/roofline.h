// The roofline of operations: FLOPs per second over FLOPs per exchanged byte. Tile memory is local, so the slanted roof is the
// exchange, the flat ones are the peaks of fp8, fp16 and fp32. A point's area is the operation's share of the cycles. Both axes
// are logarithmic.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"

#include <QWidget>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::operations {

struct RooflinePoint {
  int64_t id = -1;
  QString title;
  double intensity = 0; // FLOP per byte; an operation without exchange is at the right edge
  double rate = 0;      // FLOP per second of an IPU that it runs on
  double share = 0;     // of the cycles
  // For two reports, the point shows B.
  std::optional<std::pair<double, double>> before = {}; // intensity and rate in A
  bool isGone = false;                                  // the operation is only in A, and the point shows A's values
  bool isOfB = false;
};
struct Roofs {
  double bytesPerSecond = 0;          // received by all tiles of an IPU together
  double fp8 = 0, fp16 = 0, fp32 = 0; // FLOP a second
  double own = 0;                     // the peak of the precision that the report computes in
  double ofB = 0;                     // the same for B, if there are two reports
  bool operator==(const Roofs&) const = default;
  double highest() const { return std::max({fp8, fp16, fp32}); }
};

class Roofline : public QWidget {
  Q_OBJECT

public:
  Roofline(const theme::Theme& theme, QWidget* parent = nullptr);
  void setRoofs(const Roofs& roofs); // without peaks: none
  bool hasRoofs() const { return m_roofs != Roofs(); }
  void setPoints(std::vector<RooflinePoint> points); // drops points without FLOPs
  void setSelected(int64_t id);
  QSize minimumSizeHint() const override { return {320, 120}; }
  QPointF placeOf(int64_t id) const; // for tests; null if not shown

signals:
  void pointClicked(int64_t id);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  QRectF area() const;
  double xOf(double intensity) const;
  double yOf(double rate) const;
  QPointF pointOf(const RooflinePoint& p) const { return {xOf(p.intensity), yOf(p.rate)}; }
  void paintPoint(QPainter& painter, const RooflinePoint& point, bool isMarked) const;
  double radiusOf(const RooflinePoint& p) const;
  double roofAt(const RooflinePoint& p) const;
  int pointAt(const QPointF& at) const;
  void paintGrid(QPainter& painter) const;
  void paintRoofs(QPainter& painter) const;
  void paintPoints(QPainter& painter) const;

  const theme::Theme& m_theme;
  Roofs m_roofs;
  std::vector<RooflinePoint> m_points;                       // largest share first: small points are drawn over large
  double m_lowX = -2, m_highX = 4, m_lowY = 6, m_highY = 15; // powers of ten
  int64_t m_selected = -1;
  int m_hovered = -1;
  plot::HoverCard* m_card;
};

} // namespace ui::operations
