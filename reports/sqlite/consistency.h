// Finds rows of a report that contradict each other: ids without a row, parts larger than their whole. Each row may be valid by
// itself (row_check.h) although the report is not.
#pragma once

#include <stop_token>

namespace reports {

class Reader;

// Throws Error(Damaged) naming table and row, and Cancelled. Checks rows of the program, the graph and the runs, not packed
// columns: about ten milliseconds for 100,000 rows.
void checkConsistency(Reader& reader, const std::stop_token& stop = {});

} // namespace reports
