// The tabs below the memory plot: the memory of the selected tiles, line by line; the addresses on the first of them; and the parts of the
// program that use it. The tabs show results and emit the user's choices; the view reads and keeps the selection.
#pragma once

#include "analyser/memory/excess.h"
#include "analyser/memory/tile_details.h"
#include "ui/theme/format.h"
#include "ui/views/memory/exchange_tab.h"
#include "ui/views/memory/step_bar.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

class QTabWidget;

namespace ui::plot {
class Histogram;
}
namespace ui::shell {
class ElidedLabel;
class ReportsOfView;
class ViewFields;
class VerdictLine;
} // namespace ui::shell
namespace ui::tables {
class FilteredTable;
class TreeView;
struct Table;
struct Tree;
} // namespace ui::tables
namespace ui::theme {
class Theme;
}

namespace ui::memory {

class TileStrip;

inline constexpr std::size_t kMostColumns = 12; // of the details tree
inline constexpr int kMostBars = 40;            // of the histogram

// The address layout of one tile; empty without a tile.
struct TilePlaces {
  enum class Why { Selected, Fullest, HoldsMost }; // HoldsMost: the tile that holds most of the selected variable
  Why why = Why::Selected;
  std::shared_ptr<const analyser::memory::TileLayout> layout;
  std::shared_ptr<const tables::Table> table;

  bool hold(reports::VariableId variable) const;
  reports::TileId tile() const { return layout ? layout->tile : reports::TileId(); }
};
TilePlaces placesOn(analyser::Session& session, reports::TileId tile, TilePlaces::Why why);

struct Details { // for the selected tiles; a worker makes the tables
  std::shared_ptr<const tables::Tree> tree;
  TilePlaces places;        // of the first selected tile, else of the fullest
  TilePlaces placesInOther; // of the same tile in B, if there are two reports
  std::shared_ptr<const tables::Table> largest, computeSets, vertices;
  ExchangeTables exchanges;
  QString of;                      // "of tile 396", "of IPU 1": the tiles that the tables count; empty: all tiles
  analyser::memory::Excess excess; // of the tile of `places`
};
// `ipu` limits the counted tiles while no tile is selected. For two reports the tables have A, B and the change.
Details readDetails(const shell::ReportsOfView& reports, const std::vector<reports::TileId>& selected,
                    std::optional<reports::IpuId> ipu, const std::stop_token& stop);
// The variables of one tile in both reports. Row ids are indices of A's layout; variables that only B has follow, by index of B's
// layout.
std::shared_ptr<const tables::Table> placedInBoth(const TilePlaces& a, const TilePlaces& b);

class MemoryTabs : public QObject {
  Q_OBJECT

public:
  MemoryTabs(const theme::Theme& theme, QTabWidget& tabs, QObject* parent);

  void show(const Details& details, const theme::Format& format);
  // `inOther` is for B; empty if there is one report.
  void showPlaces(const TilePlaces& places, const TilePlaces& inOther, const theme::Format& format);
  const TilePlaces& places() const { return m_places; }
  const TilePlaces& placesInOther() const { return m_inOther; }
  // `debug`: the view's own tab, beside the ones of this class.
  void addFields(shell::ViewFields& fields, const QWidget& debug);
  const QWidget* addressMap() const { return m_map; } // the tab
  // The figure that the plot shows, for the histogram; limit 0: none.
  struct Figures {
    std::vector<int64_t> values; // by tile, in any order
    std::function<QString(int64_t)> text;
    QString name;      // "Tiles by memory used"
    int64_t grain = 1; // least width of a bar; doubled until there are few enough bars
    int64_t limit = 0;
    QString limitLabel;
  };
  void showHistogram(const Figures& figures);
  // The rows of the tab of tiles, made when the tab is shown: there may be a hundred thousand.
  void showTiles(std::shared_ptr<const tables::Table> tiles, const theme::Format& format);
  bool showsTiles() const;
  void selectTiles(const std::vector<reports::TileId>& tiles);
  void setSteps(std::vector<StepBar::Step> steps); // liveness steps, for the slider of the address map
  void followStep(reports::ProgramStepId step);    // selects in the slider a step that another view selected
  // Selects the variables in all tables that list variables.
  void selectVariables(const std::vector<reports::VariableId>& variables);
  // Puts the cursor into the filter of the visible table, else of the largest variables.
  void focusFilter();

signals:
  void variablesChosen(const std::vector<int64_t>& ids);
  void otherVariableChosen(reports::VariableId variable); // a variable of B that A's tile lacks
  void stepChosen(int64_t step);
  void stepActivated(int64_t step);
  void sourceActivated(const QString& place);
  void tilesNeeded(); // the tab of tiles became visible
  void tilesChosen(const std::vector<int64_t>& tiles);
  void barClicked(int64_t begin, int64_t end); // of the histogram, in its figure's unit

private:
  QWidget* buildMap(const theme::Theme& theme);
  void choosePlaced(const std::vector<int64_t>& places);

  void showStep();
  QString placesText(const TilePlaces& places, const theme::Format& format) const;

  QTabWidget& m_tabs;
  TilePlaces m_places, m_inOther;
  tables::TreeView* m_tree;
  QWidget *m_details, *m_map; // the tabs of the tree, and of variables
  shell::VerdictLine* m_why;  // why this tile is fuller than others
  TileStrip *m_strip, *m_stripOfOther;
  StepBar* m_steps;
  shell::ElidedLabel* m_stripTitle;

  tables::FilteredTable *m_placed, *m_largest, *m_computeSets, *m_vertices, *m_tiles;
  ExchangeTab* m_exchanges;
  plot::Histogram* m_histogram;
};

} // namespace ui::memory
