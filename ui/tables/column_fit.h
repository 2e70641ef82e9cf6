// The widths of the columns of a table. Numbers get the width they need, texts share the rest, and unused width is spread over
// all columns: a number far away from its row's name would be hard to read. Without widgets, so that it can be tested.
#pragma once

#include <vector>

namespace ui::tables {

struct ColumnNeed {
  int natural = 0;         // pixels that its header and cells need
  int least = 0;           // least width of texts and bars; for numbers equal to `natural`
  bool isBar = false;      // gets all spare pixels it can use, and shrinks first
  bool isName = false;     // the name of the row: shortened last
  bool isFirm = false;     // words that shrink last: a category, not a path
  bool isOptional = false; // dropped, the last one first, before the name or other texts get short
};

// Widths that fill `room`; wider only if the least widths do not fit. 0 for an optional column that is dropped.
std::vector<int> fittedWidths(const std::vector<ColumnNeed>& needs, int room);

} // namespace ui::tables
