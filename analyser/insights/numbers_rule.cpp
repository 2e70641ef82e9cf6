// Outputs that are not finite: the program ran, but its results are useless.
#include "analyser/insights/rules.h"
#include "analyser/session/output_values.h"

#include "reports/sqlite/reader.h"

namespace analyser::insights {

void findNotFinite(const Facts& facts, Findings& found) {
  facts.session.reader().forEach<reports::ReportIssueRow>({}, {}, [&](const reports::ReportIssueRow& row) {
    if (!isNotFinite(row)) return;
    Insight i;
    i.where = row.place.substr(std::string_view("output ").size());
    i.cycles = facts.runCycles, i.share = 1, i.confidence = Confidence::High; // the whole run is wasted
    i.what << "The output " << Sentence::Name{i.where} << " is " + row.message + ".";
    i.evidence = {.view = "summary", .words = "the issues in Summary"};
    i.advice = {"Compute in single precision ({option precision} fp32): fp16 ends at 65,504.",
                "Train with a smaller learning rate or another loss scale.",
                "Check divisions by, roots of and logarithms of values that may be zero."};
    found.push_back(std::move(i));
  });
}

} // namespace analyser::insights
