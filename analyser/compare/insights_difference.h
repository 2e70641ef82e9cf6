// Insights of the change: which findings of one report are gone in the other, which are new, and which cost more or less.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/insights/insights.h"

namespace analyser::compare {

struct InsightDifference {
  Presence presence = Presence::Both; // BaseOnly: it is gone; OtherOnly: it is new
  bool isMoved = false;               // in both, at another place
  insights::Insight base, other;      // the one that is not there is empty
  const insights::Insight& shown() const { return presence == Presence::BaseOnly ? base : other; }
  // How much more it costs in B, as a part of its cost in A: cycles (a sample, where both reports count them) or bytes. None for a finding
  // of one report, and where the two costs cannot be compared.
  std::optional<double> change;
};
struct InsightsDifference {
  std::vector<InsightDifference> list; // new ones first, then what changed most, then gone ones
  Sentence verdict;
};
// Findings are the same where rule and place are, but for the name of the file that most places of a report begin with; the second of a rule and place with the second. What is left of a rule in both
// reports has moved: the places that are most alike pair first, then the largest with the largest.
InsightsDifference insightsDifference(Session& base, Session& other, std::stop_token stop = {});

} // namespace analyser::compare
