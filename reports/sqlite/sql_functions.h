// The functions of SQL that name stored numbers: text(string_id), path(debug_context_id), activity_name(n),
// memory_category_name(n).
#pragma once

namespace reports {

class Reader;

void registerSqlFunctions(Reader& reader);

} // namespace reports
