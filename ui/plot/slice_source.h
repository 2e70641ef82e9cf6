// The interface through which a timeline gets its slices: a few tracks, each with some lanes, on one integer time axis. `slices`
// is called on a worker thread, one call at a time; the widget keeps the results, so painting never reads a report.
#pragma once

#include "reports/core/range.h"
#include "ui/plot/hover_card.h"

#include <QColor>
#include <QString>

#include <cstdint>
#include <stop_token>
#include <vector>

namespace ui::plot {

struct Slice {
  int64_t begin = 0, end = 0; // ticks; end > begin
  int64_t id = -1;            // the slice, or the widest of the slices drawn as one
  int32_t colour = 0;         // index into palette()
  int32_t count = 1;          // number of slices drawn as this one; above 1: a bucket of a time pyramid
  float share = 1;            // busy part of [begin, end), 0 to 1; drawn as strength
  QString label = {};         // only for slices at least `labelTicks` wide
};

struct Track {
  QString title, detail = {}; // "IPU 0", "1472 tiles"
  int lanes = 1;
  bool heading = false; // a line of text without lanes
  bool folded = false;  // initially drawn on one lane, with the deepest slices in front; a click on its title expands it
  int markLanes = 0;    // lanes with marks, the last ones; a collapsed track does not draw marks
  int64_t key = -1;     // identifies the track in any order of tracks, so that it stays expanded or collapsed; -1: by its index
};

class SliceSource {
public:
  virtual ~SliceSource() = default;
  virtual reports::TickRange extent() const = 0;
  virtual std::vector<Track> tracks() const = 0;
  // Slices of one lane that touch `range`, disjoint and in time order, at most about two per pixel: neighbours are merged into
  // one with the id of the widest, and `count` is set. Throws reports::Error. Checks `stop`.
  virtual std::vector<Slice> slices(int track, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                                    std::stop_token stop) const = 0;
  // The tooltip of a drawn slice. Called on the GUI thread, so it uses only data in memory, and shows less if that does not
  // suffice.
  virtual Card card(int track, int lane, const Slice& slice) const = 0;
  // The colours by a slice's `colour`, for the current theme.
  virtual std::vector<QColor> palette(bool dark) const = 0;
};

// A map of rows by time (tiles by cycles): its CellSource is like SliceSource, with cells instead of slices.
struct Cell {
  uint8_t colour = 0;   // index into palette()
  uint8_t strength = 0; // 0 nothing, 255 all of the cell's time
};

class CellSource {
public:
  virtual ~CellSource() = default;
  virtual reports::TickRange extent() const = 0;
  virtual int rows() const = 0;
  virtual QString rowTitle(int row) const = 0;
  // Groups of rows by their first row: the axis names them. Empty: single rows.
  virtual std::vector<std::pair<int, QString>> groups() const { return {}; }
  // `cells` gives height x width cells, row by row. `rows` are positions from the top: image row y stands for the rows from
  // rows.begin + y * rows.size() / height on. If the exact image takes long, a sketch is available quickly.
  enum class Detail { Sketch, Exact };
  struct Picture {
    std::vector<Cell> cells;
    bool isExact = true;
    std::vector<int> order = {}; // all rows from the top; empty: in numeric order
  };
  virtual Picture cells(reports::Range<int> rows, reports::TickRange range, int width, int height, Detail detail,
                        std::stop_token stop) const = 0;
  // The tooltip of a drawn cell. Called on the GUI thread, so it uses only data in memory, and shows less if that does not
  // suffice.
  virtual Card card(int row, int64_t tick, Cell cell) const = 0;
  virtual std::vector<QColor> palette(bool dark) const = 0;
};

} // namespace ui::plot
