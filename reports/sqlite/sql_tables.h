// Tables that decode packed columns, so that plain SQL on a report stays useful; registered on every Reader. They are listed
// with their columns in SCHEMA.md:
//   slice, execution_step, lowered_variable, variable_lifetime, tile_value, liveness_point, step_tile, exchange_tile,
//   control_code_tile, exchange_pair, compute_set_tile, block_record
// and the functions text(string_id), path(debug_context_id), activity_name(n), memory_category_name(n).
#pragma once

#include <string>

namespace reports {

class Reader;

// The part of SCHEMA.md that lists them.
std::string sqlTablesMarkdown();

void registerSqlTables(Reader& reader);

} // namespace reports
