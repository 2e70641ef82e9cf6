// Outputs with NaN or infinite values, from the issues of a report.
#pragma once

#include "analyser/session/session.h"

namespace reports {
struct ReportIssueRow;
}

namespace analyser {

// Whether the issue is of an output with values that are NaN or infinite: its place is "output NAME", its count their number.
bool isNotFinite(const reports::ReportIssueRow& issue);

} // namespace analyser
