#include "analyser/compare/host_difference.h"

#include "analyser/session/in_report.h"

#include <cmath>
#include <cstdlib>

namespace analyser::compare {

namespace {

using LabelKey = std::pair<std::string, std::string>; // channel, label

struct HostSide {
  std::map<LabelKey, host::LabelStatistics> labels;
  Nanoseconds length;
};

HostSide hostSide(Session& session, const std::stop_token& stop) {
  return inReport(session, [&] {
    host::HostTimeline timeline(session);
    HostSide side;
    side.length = Nanoseconds(timeline.range().size());
    for (auto& s : timeline.statistics(timeline.range(), stop)) side.labels.emplace(LabelKey(s.channel, s.label), std::move(s));
    return side;
  });
}

LabelDifference labelDifference(const LabelKey& key, const host::LabelStatistics* a, const host::LabelStatistics* b) {
  LabelDifference d;
  d.channel = key.first, d.label = key.second;
  d.presence = a && b ? Presence::Both : a ? Presence::BaseOnly : Presence::OtherOnly;
  if (a) d.baseCount = a->count, d.base = Nanoseconds(a->total), d.baseMean = Nanoseconds(std::llround(a->mean()));
  if (b) d.otherCount = b->count, d.other = Nanoseconds(b->total), d.otherMean = Nanoseconds(std::llround(b->mean()));
  return d;
}

Sentence hostVerdict(const HostDifference& d) {
  if (d.labels.empty() && d.base == Nanoseconds() && d.other == Nanoseconds()) return "Neither report holds events of the host.";
  Sentence verdict;
  if (d.base == Nanoseconds() || d.other == Nanoseconds())
    verdict << "Only " << (d.base == Nanoseconds() ? "B" : "A") << " holds events of the host";
  else if (d.base == d.other)
    verdict << "The host ran equally long";
  else
    verdict << "The host ran " << Sentence::Percent{std::abs(double((d.other - d.base).value())) / double(d.base.value())}
            << (d.other > d.base ? " longer" : " shorter");
  if (d.labels.empty())
    verdict << "; neither holds slices, only instants or counters, which are not compared";
  else if (const LabelDifference& most = d.labels.front(); most.difference() != Nanoseconds())
    verdict << "; most of the change is in “" << Sentence::Name{most.label} << "”";
  return verdict << ".";
}

} // namespace

HostDifference hostDifference(Session& base, Session& other, std::stop_token stop) {
  const HostSide a = hostSide(base, stop), b = hostSide(other, stop);
  HostDifference result;
  result.base = a.length, result.other = b.length;
  for (const auto& [key, s] : a.labels) {
    const auto it = b.labels.find(key);
    result.labels.push_back(labelDifference(key, &s, it == b.labels.end() ? nullptr : &it->second));
  }
  for (const auto& [key, s] : b.labels)
    if (!a.labels.contains(key)) result.labels.push_back(labelDifference(key, nullptr, &s));
  std::stable_sort(result.labels.begin(), result.labels.end(), [](const LabelDifference& x, const LabelDifference& y) {
    return std::abs(x.difference().value()) > std::abs(y.difference().value());
  });
  result.verdict = hostVerdict(result);
  return result;
}

} // namespace analyser::compare
