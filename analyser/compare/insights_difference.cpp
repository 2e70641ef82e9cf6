#include "analyser/compare/insights_difference.h"

#include "analyser/compare/samples.h"
#include "analyser/session/in_report.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

namespace analyser::compare {

namespace {

using insights::Insight;

std::vector<std::string_view> partsOf(std::string_view place) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= place.size();) {
    const std::size_t end = std::min(place.find('/', at), place.size());
    parts.push_back(place.substr(at, end - at));
    at = end + 1;
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

// The share of path parts that two locations have in common, 0 to 1.
double likeness(const std::string& a, const std::string& b) {
  const auto x = partsOf(a), y = partsOf(b);
  std::vector<std::string_view> common;
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(common));
  return 2 * double(common.size()) / double(x.size() + y.size());
}

// The first folder that most locations share, e.g. "mlp/": a model is named after its file. Empty without folders.
std::string beginningOf(const std::vector<Insight>& list) {
  std::map<std::string, std::size_t> counts;
  for (const Insight& insight : list)
    if (const std::size_t slash = insight.where.find('/'); slash != std::string::npos)
      ++counts[insight.where.substr(0, slash + 1)];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  return most == counts.end() ? std::string() : most->first;
}

// The findings of one report; `partner`: the index of the matching finding of the other report, -1 if none.
struct PairedInsights {
  std::vector<Insight> list; // the largest saving first
  std::vector<int> partner;
  std::vector<std::string> places; // without the most common beginning
  explicit PairedInsights(std::vector<Insight> found) : list(std::move(found)), partner(list.size(), -1) {
    const std::string beginning = beginningOf(list);
    for (const Insight& insight : list)
      places.push_back(insight.where.starts_with(beginning) ? insight.where.substr(beginning.size()) : insight.where);
  }
};

PairedInsights insightsOf(Session& session, const std::stop_token& stop) {
  return PairedInsights(inReport(session, [&] { return insights::insights(session, stop); }).list);
}

void join(PairedInsights& a, int i, PairedInsights& b, int j) { a.partner[std::size_t(i)] = j, b.partner[std::size_t(j)] = i; }

// Pairs findings with equal rule and location. `placeOf` gives the location: the whole name, or the name without the most common
// beginning.
template<class PlaceOf> void pairEqualPlaces(PairedInsights& a, PairedInsights& b, const PlaceOf& placeOf) {
  std::map<std::pair<std::string, std::string>, std::deque<int>> places; // rule and place
  for (std::size_t j = 0; j < b.list.size(); ++j)
    if (b.partner[j] < 0) places[{b.list[j].rule, placeOf(b, j)}].push_back(int(j));
  for (std::size_t i = 0; i < a.list.size(); ++i) {
    const auto it = places.find({a.list[i].rule, placeOf(a, i)});
    if (a.partner[i] >= 0 || it == places.end() || it->second.empty()) continue;
    join(a, int(i), b, it->second.front());
    it->second.pop_front();
  }
}

// Pairs the remaining findings of each rule, the most similar locations first. All pairs are tried, because a report has few
// findings per rule.
void pairMoved(PairedInsights& a, PairedInsights& b) {
  struct Candidate {
    double unlikeness;
    int ranks, i, j;
  };
  std::vector<Candidate> candidates;
  for (int i = 0; i < int(a.list.size()); ++i)
    for (int j = 0; j < int(b.list.size()); ++j) {
      const Insight &x = a.list[std::size_t(i)], &y = b.list[std::size_t(j)];
      if (a.partner[std::size_t(i)] < 0 && b.partner[std::size_t(j)] < 0 && x.rule == y.rule)
        candidates.push_back({1 - likeness(a.places[std::size_t(i)], b.places[std::size_t(j)]), i + j, i, j});
    }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
    return std::pair(x.unlikeness, x.ranks) < std::pair(y.unlikeness, y.ranks);
  });
  for (const Candidate& c : candidates)
    if (a.partner[std::size_t(c.i)] < 0 && b.partner[std::size_t(c.j)] < 0) join(a, c.i, b, c.j);
}

// Bytes of a finding about memory, else its cycles per sample.
double costOf(const Insight& insight, int64_t samples) {
  return insight.savesMemory() ? double(insight.bytes.value()) : double(insight.cycles.value()) / double(samples);
}

int rankOf(Presence presence) { return presence == Presence::OtherOnly ? 0 : presence == Presence::Both ? 1 : 2; }

} // namespace

InsightsDifference insightsDifference(Session& base, Session& other, std::stop_token stop) {
  PairedInsights a = insightsOf(base, stop), b = insightsOf(other, stop);
  pairEqualPlaces(a, b, [](const PairedInsights& of, std::size_t i) { return of.list[i].where; });
  pairEqualPlaces(a, b, [](const PairedInsights& of, std::size_t i) { return of.places[i]; });
  pairMoved(a, b);
  const auto samplesA = sampleCounts(base).run, samplesB = sampleCounts(other).run;
  const bool perSample = samplesA && samplesB; // else the whole run counts as one sample
  const int64_t ofA = perSample ? *samplesA : 1, ofB = perSample ? *samplesB : 1;
  InsightsDifference result;
  int64_t isNew = 0, isGone = 0, both = 0, moved = 0;
  for (std::size_t j = 0; j < b.list.size(); ++j) {
    InsightDifference d;
    const int i = b.partner[j];
    d.presence = i < 0 ? Presence::OtherOnly : Presence::Both;
    ++(i < 0 ? isNew : both);
    d.isMoved = i >= 0 && a.places[std::size_t(i)] != b.places[j] && a.list[std::size_t(i)].where != b.list[j].where;
    if (i >= 0) d.base = std::move(a.list[std::size_t(i)]);
    d.other = std::move(b.list[j]);
    const double before = i >= 0 ? costOf(d.base, ofA) : 0;
    if (before > 0 && d.base.savesMemory() == d.other.savesMemory()) d.change = costOf(d.other, ofB) / before - 1;
    moved += d.isMoved;
    result.list.push_back(std::move(d));
  }
  for (std::size_t i = 0; i < a.list.size(); ++i)
    if (a.partner[i] < 0) {
      ++isGone;
      result.list.push_back({Presence::BaseOnly, false, std::move(a.list[i]), {}, {}});
    }
  std::stable_sort(result.list.begin(), result.list.end(), [](const InsightDifference& x, const InsightDifference& y) {
    if (x.presence != y.presence) return rankOf(x.presence) < rankOf(y.presence);
    if (x.presence != Presence::Both) return x.shown().share > y.shown().share;
    const auto weight = [](const InsightDifference& d) { return std::abs(d.change.value_or(0)) * d.base.share; };
    return weight(x) > weight(y); // as a share of A's run or memory
  });
  if (result.list.empty())
    result.verdict = "Neither report has a finding.";
  else if (isNew == 0 && isGone == 0)
    result.verdict << "The same " << both << (both == 1 ? " finding" : " findings") << " in both reports";
  else
    result.verdict << isGone << " of " << (isGone + both) << (isGone + both == 1 ? " finding" : " findings") << " of A "
                   << (isGone == 1 ? "is" : "are") << " gone in B; " << isNew << (isNew == 1 ? " is new" : " are new");
  if (moved > 0) result.verdict << (isNew == 0 && isGone == 0 ? ", " : "; ") << moved << " moved to another place";
  if (!result.list.empty()) result.verdict << ".";
  return result;
}

} // namespace analyser::compare
