// How wide the columns of a table are. Numbers get what they need, words share the rest, and what nobody needs is spread
// over all of them: a number at the far end of an empty line is read with a ruler. Pure numbers, so that it can be tested.
#pragma once

#include <vector>

namespace ui::tables {

struct ColumnNeed {
  int natural = 0;         // pixels its header and cells want
  int least = 0;           // words and bars may be shortened to this; numbers never: equal to `natural`
  bool isBar = false;      // gains from every pixel, and gives the first ones
  bool isName = false;     // what the row is called: shortened last
  bool isFirm = false;     // words that give only when nobody else can: a category, not a path
  bool isOptional = false; // left out, the last first, before the name or other words get short
};

// Widths that fill `room`; wider than it only if the least ones do not fit. 0 for an optional column that is left out.
std::vector<int> fittedWidths(const std::vector<ColumnNeed>& needs, int room);

} // namespace ui::tables
