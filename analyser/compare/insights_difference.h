// Insights of the change: which findings of one report are gone in the other, which are new, and which cost more or less.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/insights/insights.h"

namespace analyser::compare {

struct InsightDifference {
  Presence presence = Presence::Both; // BaseOnly: it is gone; OtherOnly: it is new
  bool isMoved = false;               // in both, at another location
  insights::Insight base, other;      // empty if the report lacks it
  const insights::Insight& shown() const { return presence == Presence::BaseOnly ? base : other; }
  // Cost in B / cost in A - 1, in cycles (per sample, if both reports count samples) or bytes. None for a finding of one report,
  // and if the two costs cannot be compared.
  std::optional<double> change;
};
struct InsightsDifference {
  std::vector<InsightDifference> list; // new ones first, then what changed most, then gone ones
  Sentence verdict;
};
// Two findings match if rule and location are equal, ignoring the file name that most locations of a report begin with; repeated
// ones match in order. Other findings of a rule pair as moved: the most similar locations first, then the largest with the
// largest.
InsightsDifference insightsDifference(Session& base, Session& other, std::stop_token stop = {});

} // namespace analyser::compare
