#include "analyser/trace/repeats.h"

#include <algorithm>

namespace analyser::trace {

std::vector<Repeat> repeatsOf(std::span<const uint64_t> sequence) {
  std::vector<Repeat> found;
  const std::size_t n = sequence.size();
  for (std::size_t at = 0; at < n;) {
    Repeat best;
    const std::size_t longest = std::min(kLongestPeriod, (n - at) / kFewestRepeats);
    for (std::size_t period = 1; period <= longest; ++period) {
      if (best.size() > 0 && period * ((n - at) / period) <= best.size()) continue; // it could not cover more
      std::size_t equal = 0;                                                        // to what stands a period later
      while (at + equal + period < n && sequence[at + equal] == sequence[at + equal + period]) ++equal;
      const Repeat repeat{at, period, equal / period + 1};
      if (repeat.times >= kFewestRepeats && repeat.size() > best.size()) best = repeat;
    }
    if (best.size() > 0) found.push_back(best);
    at += std::max<std::size_t>(1, best.size());
  }
  return found;
}

namespace {

RepeatedSteps stepsOf(std::span<const Slice> slices, const Repeat& repeat) {
  RepeatedSteps steps;
  steps.repeat = repeat;
  const auto part = slices.subspan(repeat.first, repeat.size());
  steps.ticks = {part.front().ticks.begin, part.back().ticks.end};
  for (std::size_t i = 0; i < std::min(repeat.period, kNamedSteps); ++i) steps.names.push_back(part[i].name);
  std::array<int64_t, 256> busy{};
  for (const Slice& s : part) busy[s.category] += s.duration(), steps.busy += s.duration();
  steps.category = uint8_t(std::max_element(busy.begin(), busy.end()) - busy.begin());
  steps.shortest = INT64_MAX;
  for (std::size_t round = 0; round < repeat.times; ++round) {
    const int64_t begin = part[round * repeat.period].ticks.begin;
    const int64_t end = round + 1 < repeat.times ? part[(round + 1) * repeat.period].ticks.begin : steps.ticks.end;
    steps.shortest = std::min(steps.shortest, end - begin), steps.longest = std::max(steps.longest, end - begin);
  }
  return steps;
}

} // namespace

std::vector<RepeatedSteps> repeatedSteps(Slices& slices, TrackId track, int depth, int64_t most, std::stop_token stop) {
  const TickRange all = slices.range();
  if (slices.countIn(track, depth, all) > most) return {};
  std::vector<Slice> lane;
  slices.forEach(track, depth, all, stop, [&](const Slice& s) { lane.push_back(s); });
  std::vector<Slice> above;
  if (depth > 0 && slices.countIn(track, depth - 1, all) <= most)
    slices.forEach(track, depth - 1, all, stop, [&](const Slice& s) { above.push_back(s); });
  std::vector<RepeatedSteps> found;
  std::size_t parent = 0;
  for (std::size_t begin = 0; begin < lane.size();) {
    reports::throwIfStopped(stop);
    // A round does not reach over the end of what it is part of.
    while (parent < above.size() && above[parent].ticks.end <= lane[begin].ticks.begin) ++parent;
    const bool isInside = parent < above.size() && above[parent].ticks.begin <= lane[begin].ticks.begin;
    const int64_t until = isInside ? above[parent].ticks.end : parent < above.size() ? above[parent].ticks.begin : INT64_MAX;
    std::size_t end = begin + 1;
    while (end < lane.size() && lane[end].ticks.begin < until) ++end;
    std::vector<uint64_t> sequence;
    for (std::size_t i = begin; i < end; ++i) sequence.push_back(uint64_t(lane[i].name.value()) << 8 | lane[i].category);
    for (const Repeat& repeat : repeatsOf(sequence))
      found.push_back(stepsOf(std::span(lane).subspan(begin, end - begin), repeat));
    begin = end;
  }
  return found;
}

} // namespace analyser::trace
