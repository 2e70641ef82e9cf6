// Rules over a report: its problems, ranked by possible saving. If the program does not fit, that is the first finding. Rules
// read only the report; only a run shows whether a change helps (Insight::trials).
#pragma once

#include "analyser/insights/insight.h"

#include <span>
#include <stop_token>

namespace analyser::insights {

struct Insights {
  // Largest possible saving first; memory first if the program does not fit. If it fits, a share of the memory has a smaller
  // weight than a share of the run: 1/20 while the fullest tile is at most half full, rising to 1 on a full tile.
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
