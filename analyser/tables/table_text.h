// A table of a report as text: aligned or as Markdown for readers, as CSV or JSON for scripts.
#pragma once

#include "analyser/columns/table.h"

#include <string>

namespace analyser::tables {

enum class TextForm { Aligned, Csv, Json, Markdown };

// Keeps the columns with these ids, in this order; empty: all. Throws Error that lists the ids of the table.
void keepColumns(columns::Table& table, const std::vector<std::string>& ids);
// Orders the rows by the column: numbers largest first, text from A; unknown cells come last. Empty: by the table's own column.
// Throws Error that lists the ids of the table.
void sortRows(columns::Table& table, const std::string& id);
// Readers see titles and numbers with units; scripts see ids and plain numbers (bytes, cycles, ns, shares from 0 to 1).
std::string textOf(const columns::Table& table, TextForm form);
// The columns themselves: id, title, unit, meaning.
std::string columnsOf(const columns::Table& table, TextForm form);

} // namespace analyser::tables
