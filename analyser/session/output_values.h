// Outputs with NaN or infinite values, from the issues of a report.
#pragma once

#include "analyser/session/session.h"

namespace reports {
struct ReportIssueRow;
}

namespace analyser {

// Whether the issue is about an output with NaN or infinite values: its location is "output NAME", its count their number.
bool isNotFinite(const reports::ReportIssueRow& issue);

} // namespace analyser
