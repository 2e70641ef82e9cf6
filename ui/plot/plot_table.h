// The table of a plot: the drawn figures as plain rows, for people who read tables, and for screen readers. A plot has one if it
// is Tabled. If a view already has a table of the same figures, the plot names it instead: kTwin.
#pragma once

#include <QString>

#include <cstdint>
#include <variant>
#include <vector>

namespace ui::plot {

struct PlotColumn {
  enum class Kind { Words, Count, Bytes, Cycles, Nanoseconds, Share };
  QString title;
  Kind kind = Kind::Words;
  bool isDifference = false; // printed with its sign
};

struct PlotTable {
  std::vector<PlotColumn> columns;
  using Cell = std::variant<std::monostate, QString, int64_t>; // monostate: no value. A share is in millionths
  std::vector<std::vector<Cell>> rows;
  int64_t left = 0; // rows left out because there are too many
};

class Tabled {
public:
  virtual ~Tabled() = default;
  virtual PlotTable table() const = 0; // of the shown series; hidden ones are left out
};

// A property of plots: the accessible name of the table in the same view that has its figures. If a table and a tree alternate, it is
// both names, with a bar between them.
inline constexpr const char* kTwin = "twin";

} // namespace ui::plot
