#include "analyser/liveness/shrink.h"

#include "analyser/liveness/intervals.h"
#include "analyser/session/words.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <array>

namespace analyser::liveness {

namespace {

struct Held { // the bytes that one category holds
  Bytes alwaysLive, atPeak;
  std::vector<std::pair<Interval, Bytes>> lives; // not always live
};

// The peak of the curve without the category.
Bytes peakWithout(const Held& held, const Curve& curve) {
  std::vector<Bytes> steps(curve.notAlwaysLive.size() + 1);
  const auto last = int64_t(curve.notAlwaysLive.size());
  for (const auto& [live, bytes] : held.lives) {
    steps[std::size_t(std::clamp<int64_t>(live.begin, 0, last))] += bytes;
    steps[std::size_t(std::clamp<int64_t>(live.end, 0, last))] -= bytes;
  }
  Bytes alive, most;
  for (std::size_t i = 0; i < curve.notAlwaysLive.size(); ++i) {
    alive += steps[i];
    most = std::max(most, curve.notAlwaysLive[i] - alive);
  }
  return most;
}

struct LargestAtPeak {
  int64_t name = -1; // string id; -1: none
  Bytes bytes;
};

// If the curve is the sum of all tiles, the sentence says so, because one tile can be full while others are not.
Sentence verdictOf(const Shrink& s, const Curve& curve, bool isOfAllTiles, const LargestAtPeak& largest, const Session& session) {
  Sentence words;
  if (s.capacity == Bytes()) return words;
  if (s.excess > Bytes())
    words << "The peak of " << s.peak << " is " << s.excess << " more than " << Sentence::Name{lowerFirst(curve.title)}
          << " can hold";
  else
    words << "The peak of " << s.peak << " leaves " << (s.capacity - s.peak) << " of " << s.capacity
          << (isOfAllTiles ? " spare, all tiles together" : " spare");
  if (largest.name >= 0)
    words << "; its largest variable is " << Sentence::Name{session.text(reports::StringId(std::size_t(largest.name)))}
          << " with " << largest.bytes;
  return words << ".";
}

} // namespace

Shrink shrinkOf(Session& session, const Curve& curve, const ScopeBytes& scope, std::stop_token stop) {
  Shrink shrink;
  shrink.capacity = curve.capacity;
  shrink.peak = curve.alwaysLive + curve.peak;
  shrink.excess = shrink.peak - shrink.capacity;
  std::array<Held, reports::kMemoryCategoryCount> held;
  LargestAtPeak largest;
  const auto isLarger = [&](const reports::VariableRow& row, Bytes bytes) {
    if (bytes > largest.bytes && row.nameId >= 0) largest = {row.nameId, bytes};
  };
  session.reader().forEach<reports::VariableRow>(
      {}, {},
      [&](const reports::VariableRow& row) {
        const Bytes bytes = scope.of(reports::VariableId(static_cast<std::size_t>(row.id)), Bytes(row.totalBytes));
        if (bytes <= Bytes() || row.category < 0 || row.category >= reports::kMemoryCategoryCount) return;
        Held& h = held[std::size_t(row.category)];
        if (row.alwaysLive) {
          h.alwaysLive += bytes;
          return isLarger(row, bytes);
        }
        for (const Interval& live : intervalsOf(row)) {
          h.lives.emplace_back(live, bytes);
          if (live.contains(curve.peakStep)) h.atPeak += bytes, isLarger(row, bytes);
        }
      },
      stop);
  for (std::size_t c = 0; c < held.size(); ++c) {
    reports::throwIfStopped(stop);
    const Held& h = held[c];
    if (h.alwaysLive == Bytes() && h.lives.empty()) continue;
    const auto category = static_cast<reports::MemoryCategory>(c);
    const Bytes gain = h.alwaysLive + (curve.peak - std::min(curve.peak, peakWithout(h, curve)));
    shrink.parts.push_back({std::string(reports::memoryCategoryTitle(category)), category, h.alwaysLive, h.atPeak, gain});
  }
  std::stable_sort(shrink.parts.begin(), shrink.parts.end(),
                   [](const ShrinkPart& a, const ShrinkPart& b) { return a.gain > b.gain; });
  shrink.verdict = verdictOf(shrink, curve, scope.isWhole, largest, session);
  return shrink;
}

Gains::Gains(std::shared_ptr<const LifeIndex> lives, const Curve& curve)
    : m_lives(std::move(lives)), m_peak(curve.peak), m_steps(curve.notAlwaysLive.size()), m_tree(m_steps * 2) {
  std::copy(curve.notAlwaysLive.begin(), curve.notAlwaysLive.end(), m_tree.begin() + std::ptrdiff_t(m_steps));
  for (std::size_t i = m_steps; i-- > 1;) m_tree[i] = std::max(m_tree[2 * i], m_tree[2 * i + 1]);
}

Bytes Gains::most(int64_t begin, int64_t end) const {
  Bytes most;
  if (m_steps == 0) return most;
  auto l = std::size_t(std::clamp<int64_t>(begin, 0, int64_t(m_steps))) + m_steps;
  auto r = std::size_t(std::clamp<int64_t>(end, 0, int64_t(m_steps))) + m_steps;
  for (; l < r; l /= 2, r /= 2) {
    if (l % 2) most = std::max(most, m_tree[l++]);
    if (r % 2) most = std::max(most, m_tree[--r]);
  }
  return most;
}

std::vector<Bytes> Gains::of(const std::vector<LiveVariable>& variables) const {
  std::vector<Bytes> gains;
  for (const LiveVariable& v : variables) {
    const Bytes bytes = m_lives->bytesOf(v.variable);
    if (v.alwaysLive) {
      gains.push_back(bytes);
      continue;
    }
    Bytes rest; // the peak without it
    int64_t after = 0;
    for (const Interval& live : m_lives->intervalsOf(v.variable)) {
      rest = std::max({rest, most(after, live.begin), most(live.begin, live.end) - bytes});
      after = live.end;
    }
    gains.push_back(m_peak - std::min(m_peak, std::max(rest, most(after, int64_t(m_steps)))));
  }
  return gains;
}

} // namespace analyser::liveness
