// Rules over a report: its problems, ranked by what a change would save. If the program does not fit, that is the first finding.
// Rules read only the report; whether a change helps is found by a run (Insight::trials).
#pragma once

#include "analyser/insights/insight.h"

#include <span>
#include <stop_token>

namespace analyser::insights {

struct Insights {
  // By the share that could be saved, largest first; memory first if the report does not fit. Where it fits, a share of the memory
  // counts for less, the emptier the fullest tile: a twentieth up to half of the tile, all of it on a full one.
  std::vector<Insight> list;
  Sentence verdict;
};
Insights insights(Session& session, std::stop_token stop = {});

struct RuleText {
  std::string_view id, title, looksFor;
};
// All rules, for help and tests.
std::span<const RuleText> ruleTexts();

} // namespace analyser::insights
