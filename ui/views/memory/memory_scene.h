// The contents of the memory plot, without a widget: figures by tile, their texts and tooltips. For two reports the
// figure of a tile is the change, B − A.
#pragma once

#include "analyser/memory/tile_metrics.h"
#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"
#include "ui/views/memory/memory_geometry.h"

#include <optional>

namespace analyser {
class Session;
}
namespace ui::theme {
class Theme;
}

namespace ui::memory {

// The part of the plot's input that belongs to one report.
struct MemoryOfReport {
  std::shared_ptr<const analyser::Session> session; // for its machine
  std::shared_ptr<const analyser::memory::TileMemory> memory;
  std::vector<std::shared_ptr<const analyser::memory::TileSeries>>
      variables;                                                    // the drawn variables; null: the report lacks this name
  std::shared_ptr<const analyser::memory::TileMetricValues> metric; // drawn instead of memory; null: memory
};

struct MemoryScene : MemoryOfReport {
  std::optional<MemoryOfReport> other; // B; it has the same parts as A
  bool isApart = false;                // with two reports: one curve below the other
  bool byCategory = true;              // parts have the colours of their categories
  int ipu = -1;                        // -1: all
  Order order = Order::Software;
  bool gaps = false;        // draws the curve with gaps
  bool fullScale = false;   // up to the tile's memory
  bool band = false;        // draws median, 5th and 95th percentile of the tiles
  bool logarithmic = false; // parts are then lines, not stacked
  bool perIpu = false;      // the map's colours span the least to the most of each IPU
  theme::Format format;

  const analyser::Machine& machine() const; // the one with more tiles
  bool isMerged() const { return other && !isApart; }
  // The displayed figure of one tile: bytes of memory without gaps, or the metric's value; and its format.
  int64_t figureOf(int tile) const; // for two reports, the change
  QString figureText(int64_t value) const;
  static int64_t amountOf(const MemoryOfReport& report, int tile);
  QString amountText(int64_t value) const;
  QString changeText(int64_t value) const;
  int64_t metricAt(const MemoryOfReport& report, std::span<const int> tiles) const; // at one position of the axis
  QString metricTitle() const; // of the drawn metric, in the unit of the window: "Compute time"
  bool isOfMemory() const;     // false: the drawn figure is not limited by a tile's memory

  analyser::Sentence changeVerdict(std::span<const int> tiles) const; // with two reports

  QColor metricColour(const theme::Theme& theme) const;
  QColor partColour(const theme::Theme& theme, std::size_t part) const;
  QColor variableColour(const theme::Theme& theme, std::size_t variable) const;
  plot::Card tileCard(const theme::Theme& theme, int tile) const;
  plot::Card ipuCard(const theme::Theme& theme, std::span<const int> tiles) const; // all tiles of an IPU
};

// Gives both reports the same parts in the same order: the `most` largest, and one part for the rest.
void alignParts(analyser::memory::TileMemory& a, analyser::memory::TileMemory& b, std::size_t most);

} // namespace ui::memory
