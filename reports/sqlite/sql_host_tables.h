// Tables that decode the packed rows of the host timeline: instant, counter_sample, histogram_bin, flow, details.
#pragma once

#include "reports/sqlite/sql_table.h"

namespace reports {

std::vector<SqlTable> hostSqlTables();

} // namespace reports
