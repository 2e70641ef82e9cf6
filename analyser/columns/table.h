// A described table with its rows read, for what prints tables: the HTML page and the command line.
#pragma once

#include "analyser/columns/column.h"

namespace analyser::columns {

struct Table {
  struct Title {
    std::string id, text, meaning;
    Kind kind{};
  };
  int sort = -1; // index of the column that orders the rows, largest first; -1: the rows are already in order
  std::vector<Title> titles = {};
  std::vector<std::vector<Cell>> rows = {};
};

// `sort` is the id of a column; empty: the rows are already in order.
template<class Row, class Rows> Table tableOf(const Columns<Row>& columns, Rows&& rows, std::string_view sort = {}) {
  Table table{indexOf(columns, sort)};
  for (const auto& c : columns) table.titles.push_back({c.id, c.title, c.meaning, c.kind});
  for (const Row& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const auto& c : columns) cells.push_back(c.value(row));
  }
  return table;
}

} // namespace analyser::columns
