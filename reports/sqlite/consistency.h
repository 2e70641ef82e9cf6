// Rows of a report that contradict each other: ids that name no row, parts that are more than their whole. Each row may be possible
// by itself (row_check.h) and the report still impossible.
#pragma once

#include <stop_token>

namespace reports {

class Reader;

// Throws Error(Damaged) naming table and row, and Cancelled. Looks at rows of the program, the graph and the runs, not at what is
// packed: some ten milliseconds for 100,000 rows.
void checkConsistency(Reader& reader, const std::stop_token& stop = {});

} // namespace reports
