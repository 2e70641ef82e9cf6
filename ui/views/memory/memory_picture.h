// Memory of every tile as a curve along the tiles or as the floor plan of the chip, with a legend that filters both. For two
// reports: both curves in one plot or in two, or the floor plan of the change; the legend then chooses which parts count. This
// class draws the given data and emits the tiles of a click; the view reads data and keeps the selection.
#pragma once

#include "ui/views/memory/memory_scene.h"

#include <QStackedWidget>

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
  enum Kind { Curve, Map };

  MemoryPicture(const theme::Theme& theme, plot::Legend* legend);

  void show(MemoryScene scene);
  void clear();
  using QStackedWidget::show;
  void setSelected(std::span<const reports::TileId> tiles);
  // Hides all but the chosen variables, whose curves are flat compared with the rest of a tile's memory; a second call shows all.
  void showVariablesAlone();
  void fit();
  plot::OverviewedPlot& overviewed() const { return *m_overviewed; }
  const TileAxis& axis() const { return m_axis; }
  const MemoryScene& scene() const { return m_scene; }

signals:
  void tileClicked(int tile, Qt::KeyboardModifiers modifiers);
  void tilesChosen(std::vector<reports::TileId> tiles); // the user dragged a span; empty: Escape

private:
  using Values = std::shared_ptr<const std::vector<int64_t>>;
  struct Line { // a curve and its entry in the legend
    QString title, value;
    std::function<QColor()> colour;
    Values values; // along the axis
    bool isDashed = false, isFilled = false, isFixed = false;
    QString id = {}; // empty: the title
    bool isVariable = false;
  };
  enum class Of { One, A, B }; // the report of the lines; One: the only report
  void connectPictures();
  void connectCurve(plot::StepPlot* curve);
  std::vector<Line> linesOf(const MemoryOfReport& report, Of of) const;
  static QString titleFor(Of of, const QString& title); // "Median, B"
  static QString idFor(Of of, const char* id);
  void addBand(std::vector<Line>& lines, const MemoryOfReport& report, Of of) const;
  Line mainOf(const MemoryOfReport& report, Of of) const;
  QColor reportColour(Of of) const;
  Values along(const MemoryOfReport& report) const; // the figure without gaps; for two merged reports the sum of the shown parts
  bool hasAreas() const;                            // parts are stacked, not lines
  std::size_t firstPart() const { return m_scene.isMerged() ? 2 : 0; } // in the legend, after A and B
  std::size_t partCount() const;                                       // parts with an entry of their own in the legend
  std::vector<bool> partsShown() const;
  void showLegend();
  void showCurves();
  void showReport(plot::StepPlot& curve, const MemoryOfReport& report);
  void showMerged();
  void showFrame(plot::StepPlot& curve);
  QString axisTitle() const;
  void chooseSpan(int64_t first, int64_t last); // of positions, including the last
  void showMap();
  void filter();
  std::vector<Percentiles> bandOfIpus(std::span<const int64_t> along) const; // empty if the band is off

  const theme::Theme& m_theme;
  plot::Legend* m_legend;
  plot::OverviewedPlot* m_overviewed;
  plot::StepPlot* m_curve; // the plot inside m_overviewed
  plot::StepPlot* m_below; // B, if the two curves are apart
  plot::TileMap* m_map;
  MemoryScene m_scene;
  TileAxis m_axis;
};

} // namespace ui::memory
