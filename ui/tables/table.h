// A table as plain rows, made in the background and then only read: models share it through a pointer to const.
// A column's kind decides alignment, number format, tooltip (the exact value) and sort order, so views never format cells.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"

#include <QColor>
#include <QString>
#include <QVariant>

#include <cstdint>
#include <variant>
#include <vector>

namespace ui::tables {

using analyser::columns::isDelta;
using analyser::columns::isNumeric;
using analyser::columns::Kind;

struct Column {
  QString id; // unique in its table; used by column choices, orders, widths and links
  QString title;
  Kind kind = Kind::Text;
  QString tip = {};         // what the column means, for the header's tooltip
  int width = 0;            // pixels of numbers or a tree's names; 0: fitted to the content (always for other texts)
  bool bar = false;         // draws a bar behind the number: its share of the column's largest value
  bool total = false;       // the sum of the shown rows is in the first line, in bold
  bool isOptional = false;  // dropped if the window is too narrow for the others
  bool namesOthers = false; // text about other rows: a filter skips it
  bool grows = false;       // names of a tree: `width` is the minimum, the texts decide the natural width
};

QString idOf(const QString& title); // for columns that the report or the user names

inline Column optional(Column column) {
  column.isOptional = true;
  return column;
}
inline Column ofOthers(Column column) {
  column.namesOthers = true;
  return column;
}

using Cell = std::variant<std::monostate, QString, int64_t, double>; // monostate: not known, shown as "–"

// A number that may not be known.
inline Cell cellIf(bool known, int64_t value) {
  Cell cell;
  if (known) cell = value;
  return cell;
}

inline Cell cellIf(bool known, double value) {
  Cell cell;
  if (known) cell = value;
  return cell;
}

// The colour of a category in both themes, so that a row stays right when the theme changes.
struct Swatch {
  QColor light, dark;
  bool isValid() const { return light.isValid(); }
};
// `colourIn(dark)` gives the colour of one theme.
template<class F> Swatch swatchOf(F&& colourIn) { return {colourIn(false), colourIn(true)}; }

struct Row {
  std::vector<Cell> cells;
  int64_t id = -1;                   // id of the item in this row: tile, step, variable …; used by the selection
  Swatch swatch;                     // before the first cell; invalid: none
  analyser::columns::Subjects about; // what the row is about, for its menu; may be empty
  std::vector<Kind> kinds;           // overrides the columns' kinds if rows of a table have different units; else empty

  Kind kindAt(int column, Kind ofColumn) const {
    return std::size_t(column) < kinds.size() ? kinds[std::size_t(column)] : ofColumn;
  }
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
  QString total = {}; // title of the line of sums; empty: "Total"
};

// The text in the last cell of the row with this id; empty: no such row, or no text.
template<class Rows> QString wordsOf(const Rows& rows, int64_t id) {
  for (const auto& row : rows)
    if (row.id == id && !row.cells.empty())
      if (const auto* words = std::get_if<QString>(&row.cells.back())) return *words;
  return {};
}

// Rows of a tree, parents before children.
struct TreeRow : Row {
  int parent = -1; // index into rows
};

struct Tree {
  std::vector<Column> columns;
  std::vector<TreeRow> rows;
};

} // namespace ui::tables
