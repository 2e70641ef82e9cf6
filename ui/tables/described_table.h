// Turns results of the analyser into tables. The analyser describes the columns (analyser/columns/column.h); a view sets how they
// look.
#pragma once

#include "reports/core/ids.h"
#include "ui/tables/table.h"

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace ui::tables {

// The view's display settings of columns, by column id. Ids that a table does not have are ignored.
struct Look {
  std::vector<std::string_view> bars = {};     // Column::bar
  std::vector<std::string_view> optional = {}; // Column::isOptional
  std::vector<std::string_view> ofOthers = {}; // Column::namesOthers
  std::vector<std::pair<std::string_view, int>> widths = {};
  bool hasTotals = true; // a line of totals for the columns that can be summed
};

// The id of a row; -1 if the row represents nothing with an id.
template<class Tag> int64_t idOf(reports::Id<Tag> id) { return id.valid() ? int64_t(id.value()) : -1; }

Cell cellOf(const analyser::columns::Cell& cell);
Column columnOf(std::string_view id, std::string_view title, Kind kind, std::string_view meaning, analyser::columns::Sum sum,
                const Look& look);

template<class R> std::vector<Column> columnsOf(const analyser::columns::Columns<R>& described, const Look& look = {}) {
  std::vector<Column> columns;
  columns.reserve(described.size());
  for (const auto& c : described) columns.push_back(columnOf(c.id, c.title, c.kind, c.meaning, c.sum, look));
  return columns;
}

template<class R> std::vector<Cell> cellsOf(const analyser::columns::Columns<R>& described, const R& row) {
  std::vector<Cell> cells;
  cells.reserve(described.size());
  for (const auto& c : described) cells.push_back(cellOf(c.value(row)));
  return cells;
}

// Makes a table or tree of `rows`. `mark` sets what the cells do not hold: the id (initially the index in `rows`), the swatch,
// the parent in a tree. The subjects of a row come from the analyser's subjectsOf(), if it has one.
template<class T, class R, class Rows, class Mark>
std::shared_ptr<T> rowsAs(const analyser::columns::Columns<R>& described, const Rows& rows, const Look& look, Mark mark) {
  auto table = std::make_shared<T>();
  table->columns = columnsOf(described, look);
  table->rows.reserve(std::size(rows));
  for (const R& from : rows) {
    auto& row = table->rows.emplace_back();
    row.id = int64_t(table->rows.size()) - 1;
    row.cells = cellsOf(described, from);
    if constexpr (requires { subjectsOf(from); }) row.about = subjectsOf(from);
    std::invoke(mark, row, from);
  }
  return table;
}

inline constexpr auto kUnmarked = [](const auto&, const auto&) {};

template<class R, class Rows, class Mark = decltype(kUnmarked)>
std::shared_ptr<Table> tableOf(const analyser::columns::Columns<R>& described, const Rows& rows, const Look& look = {},
                               Mark mark = {}) {
  return rowsAs<Table>(described, rows, look, mark);
}
template<class R, class Rows, class Mark = decltype(kUnmarked)>
std::shared_ptr<Tree> treeOf(const analyser::columns::Columns<R>& described, const Rows& rows, const Look& look = {},
                             Mark mark = {}) {
  return rowsAs<Tree>(described, rows, look, mark);
}

} // namespace ui::tables
