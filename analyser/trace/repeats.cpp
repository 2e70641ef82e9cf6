#include "analyser/trace/repeats.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace analyser::trace {

namespace {

// Compares parts of a sequence in constant time, by polynomial hashes of its prefixes.
class Stretches {
public:
  explicit Stretches(std::span<const uint64_t> sequence)
      : m_sequence(sequence), m_hash(sequence.size() + 1), m_power(m_hash.size()) {
    m_power[0] = 1;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      m_hash[i + 1] = m_hash[i] * kBase + (sequence[i] + 1) * kSpread;
      m_power[i + 1] = m_power[i] * kBase;
    }
  }
  // The number of times the `period` steps at `at` occur in a row.
  std::size_t rounds(std::size_t at, std::size_t period) const {
    const uint64_t first = hash(at, period);
    std::size_t times = 1;
    while (at + (times + 1) * period <= m_sequence.size() && hash(at + times * period, period) == first) ++times;
    if (times < kFewestRepeats) return times;
    const auto begin = m_sequence.begin() + std::ptrdiff_t(at);
    const bool isSame = std::equal(begin, begin + std::ptrdiff_t((times - 1) * period), begin + std::ptrdiff_t(period));
    return isSame ? times : 1; // hashes may be equal by chance
  }

private:
  static constexpr uint64_t kBase = 0x9e3779b97f4a7c15, kSpread = 0xd1b54a32d192ed03; // odd

  uint64_t hash(std::size_t at, std::size_t count) const { return m_hash[at + count] - m_hash[at] * m_power[count]; }

  std::span<const uint64_t> m_sequence;
  std::vector<uint64_t> m_hash, m_power;
};

// For each step the next position of an equal step; if there is none, the sequence's end.
std::vector<std::size_t> nextOfEach(std::span<const uint64_t> sequence) {
  std::vector<std::size_t> next(sequence.size());
  std::unordered_map<uint64_t, std::size_t> last;
  for (std::size_t i = sequence.size(); i-- > 0;) {
    const auto [found, isFirst] = last.try_emplace(sequence[i], sequence.size());
    next[i] = std::exchange(found->second, i);
  }
  return next;
}

} // namespace

std::vector<Repeat> repeatsOf(std::span<const uint64_t> sequence, std::stop_token stop) {
  std::vector<Repeat> found;
  const std::size_t n = sequence.size();
  const Stretches stretches(sequence);
  const std::vector<std::size_t> next = nextOfEach(sequence);
  for (std::size_t at = 0; at < n;) {
    reports::throwIfStopped(stop);
    Repeat best;
    const std::size_t longest = std::min(kLongestPeriod, (n - at) / kFewestRepeats);
    int tried = 0;
    for (std::size_t second = next[at]; second < n && second - at <= longest && tried < kMostOfFirst;
         second = next[second], ++tried) {
      const std::size_t period = second - at;
      if (best.size() > 0 && period * ((n - at) / period) <= best.size()) continue; // this period cannot cover more than the best
      const Repeat repeat{at, period, stretches.rounds(at, period)};
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
    // A round must be within one slice of the lane above.
    while (parent < above.size() && above[parent].ticks.end <= lane[begin].ticks.begin) ++parent;
    const bool isInside = parent < above.size() && above[parent].ticks.begin <= lane[begin].ticks.begin;
    const int64_t until = isInside ? above[parent].ticks.end : parent < above.size() ? above[parent].ticks.begin : INT64_MAX;
    std::size_t end = begin + 1;
    while (end < lane.size() && lane[end].ticks.begin < until) ++end;
    std::vector<uint64_t> sequence;
    for (std::size_t i = begin; i < end; ++i) sequence.push_back(uint64_t(lane[i].name.value()) << 8 | lane[i].category);
    for (const Repeat& repeat : repeatsOf(sequence, stop))
      found.push_back(stepsOf(std::span(lane).subspan(begin, end - begin), repeat));
    begin = end;
  }
  return found;
}

} // namespace analyser::trace
