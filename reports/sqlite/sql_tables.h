// Tables that decode packed columns, so that plain SQL on a report stays useful; registered on every Reader. They are listed
// with their columns in SCHEMA.md:
//   slice, execution_step, lowered_variable, tile_value, liveness_point, step_tile, exchange_tile, compute_set_tile
// and the functions text(string_id), activity_name(n), memory_category_name(n).
#pragma once

#include <string>
#include <vector>

namespace reports {

class Reader;

struct SqlTableText {
  std::string name, meaning, declaration; // declaration: the columns as in CREATE TABLE
};
std::vector<SqlTableText> sqlTableTexts();

void registerSqlTables(Reader& reader);

} // namespace reports
