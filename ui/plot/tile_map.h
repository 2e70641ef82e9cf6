// The floor plan of the machine: one cell per tile, one panel per IPU, colour by quantity (cividis) or by difference (blue, grey,
// orange). Arrow keys move between neighbours on the map.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/plot/plot_table.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

class TileMap : public QWidget, public Tabled {
  Q_OBJECT

public:
  TileMap(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);

  // One position per tile of an IPU; empty positions: tiles fill the grid column by column. If the theme sets a number of tiles per
  // row, it overrides both: tiles then fill the rows from left to right.
  void setGrid(int ipus, int tilesPerIpu, int columns, int rows, std::vector<int> column = {}, std::vector<int> row = {});
  // One value per tile over all IPUs. Low and high are the legend's ends; if they are equal, the data set them. `differences`
  // centres the scale on zero.
  void setValues(std::shared_ptr<const std::vector<int64_t>> values, int64_t low = 0, int64_t high = 0, bool differences = false);
  // true: each IPU has its own scale, from its lowest to its highest value, shown beside its title. false: one scale for all
  // IPUs.
  void setScalePerIpu(bool perIpu);
  // Tiles that are painted in the colour of a fault, and their name in the legend; empty: none.
  void setFaulty(std::vector<bool> tiles, const QString& words = {});
  void setValueText(std::function<QString(int64_t)> text); // for legend and tooltip
  void setValueKind(PlotColumn::Kind kind) {
    m_kind = kind;
  } // for the table of the plot, which shows values without a kind by their text
  PlotTable table() const override;
  void setFirstTile(int tile); // the number of the first tile, in texts and in the table: tiles of a later IPU do not begin at 0
  void setCaption(const QString& caption);     // above the legend: "Memory used per tile"
  void setCard(std::function<Card(int)> card); // default: tile, value
  void setSelected(std::vector<int> tiles);    // sorted

  QSize minimumSizeHint() const override { return {240, 160}; }
  QSize sizeHint() const override { return {480, 320}; }
  int tileAt(const QPoint& at) const; // -1: none
  QRectF cellOf(int tile) const;

signals:
  void tileClicked(int tile, Qt::KeyboardModifiers modifiers);
  void tileActivated(int tile);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  struct Place {
    int column = 0, row = 0;
  };
  void placeTiles();
  void arrange();
  void chooseScale();
  struct Ends {
    int64_t low = 0, high = 0;
  };
  Ends endsOf(std::size_t ipu) const; // ends of the colour scale
  QColor colourOf(int64_t value, const Ends& ends) const;
  void paintLegend(QPainter& painter);
  void describeIt();
  Card cardOf(int tile) const;
  Place placeOf(int tileOfIpu) const;
  Place shownAt(const Place& p) const; // applied twice, it returns the original cell

  const theme::Theme& m_theme;
  int m_ipus = 0, m_tilesPerIpu = 0, m_firstTile = 0;
  int m_givenColumns = 1, m_givenRows = 1;
  std::vector<bool> m_faulty; // by tile over all IPUs
  QString m_faultyWords;
  std::vector<int> m_column, m_row; // as given
  int m_columns = 1, m_rows = 1, m_tilesPerRow = 0;
  std::vector<int> m_tileAtPlace; // column * rows + row -> tile of the IPU, -1: none
  std::shared_ptr<const std::vector<int64_t>> m_values;
  int64_t m_askedLow = 0, m_askedHigh = 0, m_low = 0, m_high = 0;
  bool m_differences = false, m_perIpu = false;
  PlotColumn::Kind m_kind = PlotColumn::Kind::Words;
  std::function<QString(int64_t)> m_text;
  std::function<Card(int)> m_card;
  QString m_caption;
  std::vector<int> m_selected;
  std::vector<QRectF> m_panels;
  double m_cellWidth = 4, m_cellHeight = 4;
  bool m_turned = false;
  int m_hovered = -1, m_cursor = 0;
  HoverCard* m_hoverCard;
};

} // namespace ui::plot
