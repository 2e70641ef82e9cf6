#include "analyser/session/output_values.h"

#include "reports/rows/report_issue.h"

namespace analyser {

bool isNotFinite(const reports::ReportIssueRow& issue) {
  return issue.place.starts_with("output ") && issue.message.starts_with("NaN or infinite");
}

} // namespace analyser
