// The data layer of a StepPlot: paints areas, curves, limit, separators and selection inside the axes, pixel column by
// pixel column.
#pragma once

#include "ui/plot/step_scene.h"

#include <qcustomplot.h>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

class StepPainter : public QCPAbstractPlottable {
public:
  StepPainter(QCustomPlot& plot, const theme::Theme& theme, const StepScene& scene);
  double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
  QCPRange getKeyRange(bool& found, QCP::SignDomain) const override;
  QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override;

protected:
  void draw(QCPPainter* painter) override;
  void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
  QRect area() const { return mKeyAxis->axisRect()->rect(); }
  double y(double value) const { return mValueAxis->coordToPixel(value); }
  std::pair<int64_t, int64_t> positions(int x) const; // whose step touches the pixel column
  int64_t peakAt(int x) const;
  void drawAreas(QCPPainter& painter);
  // Adds the rectangles of the layers, by layer, in columns from x on.
  void addStack(std::vector<QVector<QRect>>& rects, int x, int width, int64_t position) const;
  // A drawn curve: its line, its span in each pixel column, and its turns if several curves share a line.
  struct Drawn {
    std::size_t index = 0;
    QPolygonF line;
    std::vector<double> tops; // by pixel column; NaN if nothing is above zero
    QVector<QRectF> spans;    // between line and lowest value
    // By pixel column: how many curves share the line there, and this curve's number among them. Empty: it shares no pixel.
    struct Turn {
      int place = 0, of = 1;
      bool operator==(const Turn&) const = default;
    };
    std::vector<Turn> turns;
  };
  static bool isLine(const Curve& curve); // a solid line without a fill
  bool drawsEnvelopes() const;
  Drawn lineOf(std::size_t index, bool isEnvelope) const;
  static void shareLines(std::vector<Drawn>& curves);
  void drawSpans(QCPPainter& painter, const Drawn& drawn) const;
  void drawCurve(QCPPainter& painter, const Drawn& drawn);
  void drawTurns(QCPPainter& painter, const Drawn& drawn, const QPen& pen, const QPen& strip);
  void drawMarks(QCPPainter& painter);
  int drawCaptions(QCPPainter& painter);
  void drawLimit(QCPPainter& painter, int captionsEnd);
  void drawBand(QCPPainter& painter) const;
  void drawSelection(QCPPainter& painter);
  void drawPin(QCPPainter& painter, int x, int foot, const QColor& colour);

  const theme::Theme& m_theme;
  const StepScene& m_scene;
};

} // namespace ui::plot
