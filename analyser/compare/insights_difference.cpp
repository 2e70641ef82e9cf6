#include "analyser/compare/insights_difference.h"

#include "analyser/session/in_report.h"

#include <cmath>
#include <tuple>

namespace analyser::compare {

namespace {

using InsightKey = std::tuple<std::string, std::string, int>; // rule, place, number

std::map<InsightKey, insights::Insight> insightsOf(Session& session, const std::stop_token& stop) {
  std::map<InsightKey, insights::Insight> all;
  std::map<std::pair<std::string, std::string>, int> seen;
  for (auto& insight : inReport(session, [&] { return insights::insights(session, stop); }).list) {
    const int number = ++seen[{insight.rule, insight.where}];
    all.emplace(InsightKey(insight.rule, insight.where, number), std::move(insight));
  }
  return all;
}

int rankOf(Presence presence) { return presence == Presence::OtherOnly ? 0 : presence == Presence::Both ? 1 : 2; }

} // namespace

InsightsDifference insightsDifference(Session& base, Session& other, std::stop_token stop) {
  auto a = insightsOf(base, stop), b = insightsOf(other, stop);
  InsightsDifference result;
  int64_t isNew = 0, isGone = 0, both = 0;
  for (auto& [key, insight] : b) {
    InsightDifference d;
    const auto it = a.find(key);
    d.presence = it == a.end() ? Presence::OtherOnly : Presence::Both;
    ++(it == a.end() ? isNew : both);
    if (it != a.end()) d.base = it->second;
    d.other = std::move(insight);
    result.list.push_back(std::move(d));
  }
  for (auto& [key, insight] : a)
    if (!b.contains(key)) {
      ++isGone;
      result.list.push_back({Presence::BaseOnly, std::move(insight), {}});
    }
  std::stable_sort(result.list.begin(), result.list.end(), [](const InsightDifference& x, const InsightDifference& y) {
    if (x.presence != y.presence) return rankOf(x.presence) < rankOf(y.presence);
    return std::abs(x.share()) > std::abs(y.share());
  });
  if (result.list.empty())
    result.verdict = "Neither report has a finding.";
  else if (isNew == 0 && isGone == 0)
    result.verdict << "The same " << both << (both == 1 ? " finding" : " findings") << " in both reports.";
  else
    result.verdict << isGone << " of " << (isGone + both) << (isGone + both == 1 ? " finding" : " findings") << " of A "
                   << (isGone == 1 ? "is" : "are") << " gone in B; " << isNew << (isNew == 1 ? " is new." : " are new.");
  return result;
}

} // namespace analyser::compare
