// The bytes that each tile sends to each other tile in an exchange, as runs. Neighbouring receivers with the same pattern of
// senders, shifted by a stride, are one run, so an exchange of all tiles with all tiles is one run. A tile that is both sender
// and receiver of a run takes nothing from itself. Several runs may name the same pair; its bytes are then the sum.
#pragma once

#include "reports/core/packed.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace reports {

struct PairRun {
  int32_t receiver = 0, receivers = 1; // the first receiver, and the number of neighbouring receivers
  int32_t sender = 0, senders = 1;     // the first sender of the first receiver, and senders per receiver
  int32_t stride = 1, shift = 0;       // stride: between two senders; shift: added to the senders for each next receiver
  int64_t bytes = 0;                   // received by each receiver from each sender
  bool operator==(const PairRun&) const = default;

  int64_t firstSender(int64_t to) const { return sender + (to - receiver) * shift; }
  bool receives(int64_t tile) const { return tile >= receiver && tile < int64_t(receiver) + receivers; }
  // f(sender) for each sender of `to`, which is one of the receivers.
  template<class F> void forEachSender(int64_t to, F f) const {
    int64_t from = firstSender(to);
    for (int32_t i = 0; i < senders; ++i, from += stride)
      if (from != to) f(from);
  }
  // The number of times `from` sends to `to`, one of the receivers: 0 or 1.
  int sends(int64_t from, int64_t to) const {
    const int64_t distance = from - firstSender(to);
    return from != to && distance >= 0 && distance % stride == 0 && distance / stride < senders;
  }
};

// Limits of a report: runs of one exchange, pairs in them, and bytes of a pair.
inline constexpr std::size_t kMostPairRuns = std::size_t(1) << 19;
inline constexpr int64_t kMostPairs = int64_t(1) << 30, kMostPairBytes = int64_t(1) << 32;

// Makes runs from receivers in any order; ascending order gives the fewest.
class PairWriter {
public:
  // If there are more than `most` runs, finish() returns none.
  explicit PairWriter(std::size_t most = kMostPairRuns) : m_most(most) {}
  void receiver(int64_t tile); // begins another receiver
  // Begins another receiver with the senders and bytes of the last one. If a run of the last receiver extends around that
  // receiver itself, this is not possible: returns false and begins nothing. Then call receiver() and take().
  [[nodiscard]] bool same(int64_t tile);
  // The receiver takes `bytes` from each of `count` senders. Senders in ascending order make the fewest runs.
  void take(int64_t sender, int64_t bytes, int64_t count = 1, int64_t stride = 1);
  bool full() const { return m_isFull; } // more runs than `most`; only finish() resets it
  std::vector<PairRun> finish();

private:
  bool joins() const;
  void endReceiver();
  std::size_t m_most, m_group = 0; // m_group: first run of the last group of receivers with equal senders
  int64_t m_receiver = 0;
  bool m_isFull = false, m_isAroundReceiver = false; // m_isAroundReceiver: a run of the block crosses its receiver
  std::vector<PairRun> m_runs, m_block;              // m_block: of the current receiver
};

int64_t pairsIn(std::span<const PairRun> runs);
// Whether the runs exceed the limits of a report: 4 x tiles senders of one receiver, over all its runs, or 8 x tiles^2 pairs. The
// limits bound the work of readers, which expand the runs; runs may name a pair more than once.
bool areTooManyPairs(std::span<const PairRun> runs, std::size_t tiles);
// Bytes that every tile receives, over all its senders.
std::vector<int64_t> bytesReceived(std::span<const PairRun> runs, std::size_t tiles);

// The receivers of runs in ascending order, each with its senders and their bytes.
class PairSweep {
public:
  explicit PairSweep(std::vector<PairRun> runs);
  PairSweep(const PairSweep&) = delete; // points into its own runs
  bool next();                          // moves to the first, then the next receiver; false after the last
  int64_t receiver() const { return m_receiver; }
  const std::vector<std::pair<int64_t, int64_t>>& senders() const { return m_senders; } // ascending, each once

private:
  std::vector<PairRun> m_runs; // by first receiver
  std::vector<const PairRun*> m_active;
  std::size_t m_begun = 0;
  int64_t m_receiver = -1;
  std::vector<std::pair<int64_t, int64_t>> m_senders;
};

// The fields of all runs, field by field (SCHEMA.md), after the number of runs; compressed if that is shorter.
Blob packPairs(std::span<const PairRun> runs);
// The runs with all tile numbers increased by `by`.
Blob movedPairs(const Blob& packed, int64_t by);
// Throws Error(Damaged) that names `what` if a tile is beyond `tiles` or a number is impossible.
std::vector<PairRun> unpackPairs(std::span<const uint8_t> bytes, std::size_t tiles, std::string_view what);

} // namespace reports
