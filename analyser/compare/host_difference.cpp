#include "analyser/compare/host_difference.h"

#include "analyser/session/in_report.h"

#include <cmath>
#include <cstdlib>

namespace analyser::compare {

namespace {

using LabelKey = std::pair<std::string, std::string>; // channel, label

using host::MeasuredValue;

struct HostSide {
  HostSide(Session& session, const std::stop_token& stop) : timeline(session), values(host::valuesOf(timeline, stop)) {}

  host::HostTimeline timeline;
  std::vector<MeasuredValue> values;
  std::map<LabelKey, host::LabelStatistics> labels;
  int64_t amount = 0;
  bool isEmpty() const { return timeline.range().empty(); }

  void read(std::size_t chosen, const std::stop_token& stop) {
    const auto statistics = values[chosen].isPlainTime() ? timeline.statistics(timeline.range(), stop)
                                                         : timeline.statistics(timeline.range(), values, chosen, stop);
    if (values[chosen].isPlainTime()) amount = timeline.range().size();
    for (const auto& s : statistics) {
      if (!values[chosen].isPlainTime()) amount += s.self;
      labels.emplace(LabelKey(s.channel, s.label), s);
    }
  }
};

// The first value of A that B measures, too, as indices into both lists.
std::optional<std::pair<std::size_t, std::size_t>> sharedValue(const HostSide& a, const HostSide& b) {
  const auto isSame = [](const MeasuredValue& x, const MeasuredValue& y) {
    return x.isPlainTime() ? y.isPlainTime() : !y.isPlainTime() && x.name == y.name && x.unit == y.unit;
  };
  for (std::size_t i = 0; i < a.values.size(); ++i)
    for (std::size_t k = 0; k < b.values.size(); ++k)
      if (isSame(a.values[i], b.values[k])) return std::pair(i, k);
  return std::nullopt;
}

std::string nameOf(const MeasuredValue& value) { return value.isPlainTime() ? "time" : value.name; }

Unit unitOf(const MeasuredValue& value) {
  return value.unit == MeasuredValue::Unit::Bytes   ? Unit::Bytes
         : value.unit == MeasuredValue::Unit::Count ? Unit::Count
                                                    : Unit::Seconds;
}

LabelDifference labelDifference(const LabelKey& key, const host::LabelStatistics* a, const host::LabelStatistics* b) {
  LabelDifference d;
  d.channel = key.first, d.label = key.second;
  d.presence = a && b ? Presence::Both : a ? Presence::BaseOnly : Presence::OtherOnly;
  if (a) d.baseCount = a->count, d.base = a->total, d.baseMean = std::llround(a->mean());
  if (b) d.otherCount = b->count, d.other = b->total, d.otherMean = std::llround(b->mean());
  d.selfDifference = (b ? b->self : 0) - (a ? a->self : 0);
  return d;
}

Sentence hostVerdict(const HostDifference& d) {
  if (d.labels.empty() && d.base == 0 && d.other == 0) return "Neither report holds events of the host.";
  Sentence verdict;
  const Sentence::Percent change{std::abs(double(d.other - d.base)) / double(std::max<int64_t>(d.base, 1))};
  if (d.base == 0 || d.other == 0)
    verdict << "Only " << (d.base == 0 ? "B" : "A") << " holds events of the host";
  else if (d.value.empty() && d.base == d.other)
    verdict << "The host ran equally long";
  else if (d.value.empty())
    verdict << "The host ran " << change << (d.other > d.base ? " longer" : " shorter");
  else if (d.base == d.other)
    verdict << "Both reports have equally much of “" << Sentence::Name{d.value} << "”";
  else
    verdict << "B has " << change << (d.other > d.base ? " more" : " less") << " of “" << Sentence::Name{d.value} << "”";
  if (d.labels.empty()) return verdict << "; neither holds slices, only instants or counters, which are not compared.";
  const auto most = std::max_element(d.labels.begin(), d.labels.end(), [](const LabelDifference& x, const LabelDifference& y) {
    return std::abs(x.selfDifference) < std::abs(y.selfDifference);
  });
  if (most->selfDifference != 0) verdict << "; most of the change is in “" << Sentence::Name{most->label} << "”";
  return verdict << ".";
}

} // namespace

HostDifference hostDifference(Session& base, Session& other, std::stop_token stop) {
  HostSide a = inReport(base, [&] { return HostSide(base, stop); }), b = inReport(other, [&] { return HostSide(other, stop); });
  HostDifference result;
  std::pair<std::size_t, std::size_t> chosen;
  if (const auto shared = sharedValue(a, b)) {
    chosen = *shared;
  } else if (!a.isEmpty() && !b.isEmpty()) {
    result.verdict << "A measures “" << Sentence::Name{nameOf(a.values.front())} << "” on the host and B “"
                   << Sentence::Name{nameOf(b.values.front())} << "”, which are not compared.";
    return result;
  }
  const MeasuredValue& compared = a.isEmpty() ? b.values[chosen.second] : a.values[chosen.first];
  result.unit = unitOf(compared);
  if (!compared.isPlainTime()) result.value = compared.name;
  inReport(base, [&] { a.read(chosen.first, stop); });
  inReport(other, [&] { b.read(chosen.second, stop); });
  result.base = a.amount, result.other = b.amount;
  for (const auto& [key, s] : a.labels) {
    const auto it = b.labels.find(key);
    result.labels.push_back(labelDifference(key, &s, it == b.labels.end() ? nullptr : &it->second));
  }
  for (const auto& [key, s] : b.labels)
    if (!a.labels.contains(key)) result.labels.push_back(labelDifference(key, nullptr, &s));
  std::stable_sort(result.labels.begin(), result.labels.end(), [](const LabelDifference& x, const LabelDifference& y) {
    return std::abs(x.difference()) > std::abs(y.difference());
  });
  result.verdict = hostVerdict(result);
  return result;
}

} // namespace analyser::compare
