// Rows of all tables to and from statements, by the number of their table (kTableNumber). The lists of columns are compiled in row_io.cpp
// alone: compiled where rows are read, they took a second and more in each of thirty batches.
#pragma once

#include "reports/sqlite/row_check.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/statement.h"

namespace reports {

const TableText& tableTextAt(std::size_t table);
void bindRow(Statement& statement, std::size_t table, const void* row);
// Throws Error(Damaged) if a value has the wrong type or is impossible.
void readRow(const Statement& statement, std::size_t table, void* row, const RowLimits& limits);

} // namespace reports
