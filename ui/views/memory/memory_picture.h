// Memory of every tile as a curve along the tiles or as the floor plan of the chip, with a legend that filters both. It draws the
// given data and emits the tiles of a click; the view reads and keeps the selection.
#pragma once

#include "analyser/memory/tile_metrics.h"
#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"
#include "ui/views/memory/memory_geometry.h"

#include <QStackedWidget>

namespace analyser {
class Session;
}
namespace ui::plot {
class Legend;
class OverviewedPlot;
class StepPlot;
class TileMap;
struct Curve;
struct LegendEntry;
} // namespace ui::plot
namespace ui::theme {
class Theme;
}

namespace ui::memory {

class MemoryPicture : public QStackedWidget {
  Q_OBJECT

public:
  // Everything that the plots show.
  struct Scene {
    std::shared_ptr<const analyser::Session> session; // of the machine
    std::shared_ptr<const analyser::memory::TileMemory> memory;
    std::vector<std::shared_ptr<const analyser::memory::TileSeries>> variables; // whose curves are drawn
    std::shared_ptr<const analyser::memory::TileMetricValues> metric;           // drawn instead of memory; null: memory
    bool byCategory = true;                                                     // parts have the colours of their categories
    int ipu = -1;                                                               // -1: all
    Order order = Order::Software;
    bool gaps = false;        // draws the curve with gaps
    bool fullScale = false;   // up to the tile's memory
    bool band = false;        // draws median, 5th and 95th percentile of the tiles
    bool logarithmic = false; // parts are then lines, not stacked
    bool perIpu = false;      // the map's colours span the least to the most of each IPU
    theme::Format format;
  };
  enum Kind { Curve, Map };

  MemoryPicture(const theme::Theme& theme, plot::Legend* legend);

  void show(Scene scene);
  void clear();
  using QStackedWidget::show;
  void setSelected(std::span<const reports::TileId> tiles);
  // Hides all but the chosen variables, whose curves are flat compared with the rest of a tile's memory; a second call shows all.
  void showVariablesAlone();
  void fit();
  plot::OverviewedPlot& overviewed() const { return *m_overviewed; }
  const TileAxis& axis() const { return m_axis; }
  // The displayed figure of one tile: bytes of memory without gaps, or the metric's value; and its format.
  int64_t figureOf(int tile) const;
  QString figureText(int64_t value) const;
  QString metricTitle() const; // of the drawn metric, in the unit of the window: "Compute time"

signals:
  void tileClicked(int tile, Qt::KeyboardModifiers modifiers);
  void tilesChosen(std::vector<reports::TileId> tiles); // the user dragged a span; empty: Escape

private:
  void connectPictures();
  void showLegend();
  void showCurve();
  void showCurveFrame();
  void showMetric();
  int64_t metricAt(int position) const;
  QString axisTitle() const;
  void chooseSpan(int64_t first, int64_t last); // of positions, including the last
  QColor metricColour() const;
  void showMap();
  void filter();
  const analyser::Machine& machine() const;
  struct Line { // with a separate value for every IPU
    QString title;
    std::shared_ptr<const std::vector<int64_t>> values;
    bool isMedian = false;
    QString id = {};
  };
  void addLegendLines(std::vector<plot::LegendEntry>& entries, const std::vector<Line>& lines) const;
  std::vector<Percentiles> bandOfIpus(std::span<const int64_t> along) const;               // empty: not wanted
  void showBand(const std::vector<Percentiles>& groups, std::vector<plot::Curve>& curves); // adds its lines to the curves
  bool isOfMemory() const; // false: a figure that a tile's memory does not limit
  std::vector<Line> bandLines(const std::vector<Percentiles>& groups) const;
  QColor bandColour(bool isMedian) const;
  QColor partColour(std::size_t part) const;
  QColor variableColour(std::size_t variable) const;
  plot::Card tileCard(int tile) const;
  plot::Card ipuCard(int position) const;

  const theme::Theme& m_theme;
  plot::Legend* m_legend;
  plot::OverviewedPlot* m_overviewed;
  plot::StepPlot* m_curve; // in it
  plot::TileMap* m_map;
  Scene m_scene;
  TileAxis m_axis;
};

} // namespace ui::memory
