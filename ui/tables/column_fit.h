// The widths of the columns of a table. Numbers get the width they need, words share the rest, and unused width is spread over
// all columns: a number far away from its row's name would be hard to read. Without widgets, so that it can be tested.
#pragma once

#include <vector>

namespace ui::tables {

struct ColumnNeed {
  int natural = 0;         // pixels its header and cells want
  int least = 0;           // words and bars may be shortened to this; numbers never: equal to `natural`
  bool isBar = false;      // uses every pixel, and shrinks first
  bool isName = false;     // the name of the row: shortened last
  bool isFirm = false;     // words that shrink last: a category, not a path
  bool isOptional = false; // left out, the last first, before the name or other words get short
};

// Widths that fill `room`; wider than it only if the least ones do not fit. 0 for an optional column that is left out.
std::vector<int> fittedWidths(const std::vector<ColumnNeed>& needs, int room);

} // namespace ui::tables
