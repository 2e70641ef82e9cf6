#include "reports/core/tile_pairs.h"

#include "reports/core/compressed.h"
#include "reports/core/error.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace reports {

void PairWriter::receiver(int64_t tile) {
  endReceiver();
  m_block.clear(), m_isAroundReceiver = false;
  m_receiver = tile;
}

bool PairWriter::same(int64_t tile) {
  if (m_isAroundReceiver) return false;
  endReceiver();
  m_receiver = tile;
  return true;
}

void PairWriter::take(int64_t sender, int64_t bytes, int64_t count, int64_t stride) {
  if (count <= 0 || bytes <= 0) return;
  if (!m_block.empty() && m_block.back().bytes == bytes) {
    PairRun& last = m_block.back();
    const int64_t gap = sender - (last.sender + int64_t(last.senders - 1) * last.stride);
    // The receiver between two senders is not a sender itself, so the run continues after it.
    const bool aroundReceiver = gap % 2 == 0 && sender - gap / 2 == m_receiver;
    const int64_t step = last.senders > 1 ? last.stride : count > 1 ? stride : aroundReceiver ? gap / 2 : gap;
    const bool skips = aroundReceiver && gap == 2 * step;
    if (step > 0 && (gap == step || skips) && (count == 1 || stride == step)) {
      last.stride = int32_t(step);
      last.senders += int32_t(count + skips);
      m_isAroundReceiver |= skips;
      return;
    }
  }
  if (m_block.size() >= m_most) m_isFull = true;
  if (m_isFull) return;
  PairRun& run = m_block.emplace_back();
  run.sender = int32_t(sender);
  run.senders = int32_t(count);
  run.stride = int32_t(count > 1 ? stride : 1);
  run.bytes = bytes;
}

// Whether the receiver continues the pattern of the previous ones, with its senders shifted by the same amount.
bool PairWriter::joins() const {
  if (m_runs.size() - m_group != m_block.size()) return false;
  for (std::size_t i = 0; i < m_block.size(); ++i) {
    const PairRun &group = m_runs[m_group + i], &own = m_block[i];
    if (int64_t(group.receiver) + group.receivers != m_receiver || group.senders != own.senders || group.stride != own.stride ||
        group.bytes != own.bytes || (group.receivers > 1 && group.firstSender(m_receiver) != own.sender))
      return false;
  }
  return true;
}

void PairWriter::endReceiver() {
  if (m_block.empty() || m_isFull) return;
  if (joins()) {
    for (std::size_t i = 0; i < m_block.size(); ++i) {
      PairRun& group = m_runs[m_group + i];
      if (group.receivers++ == 1) group.shift = m_block[i].sender - group.sender;
    }
    return;
  }
  if (m_runs.size() + m_block.size() > m_most) {
    m_isFull = true;
    return;
  }
  m_group = m_runs.size();
  for (PairRun run : m_block) {
    run.receiver = int32_t(m_receiver);
    m_runs.push_back(run);
  }
}

std::vector<PairRun> PairWriter::finish() {
  endReceiver();
  if (m_isFull) m_runs.clear();
  m_block.clear();
  m_group = 0, m_isFull = m_isAroundReceiver = false;
  return std::exchange(m_runs, {});
}

int64_t pairsIn(std::span<const PairRun> runs) {
  int64_t pairs = 0;
  for (const PairRun& run : runs) pairs += int64_t(run.receivers) * run.senders;
  return pairs;
}

bool areTooManyPairs(std::span<const PairRun> runs, std::size_t tiles) {
  const auto all = int64_t(tiles);
  if (pairsIn(runs) > std::min(kMostPairs, 8 * all * all)) return true;
  std::map<int64_t, int64_t> changes; // changes of the senders from one receiver to the next
  for (const PairRun& run : runs) {
    changes[run.receiver] += run.senders;
    changes[int64_t(run.receiver) + run.receivers] -= run.senders;
  }
  int64_t senders = 0;
  for (const auto& [tile, change] : changes)
    if ((senders += change) > 4 * all) return true;
  return false;
}

std::vector<int64_t> bytesReceived(std::span<const PairRun> runs, std::size_t tiles) {
  std::vector<int64_t> bytes(tiles, 0);
  for (const PairRun& run : runs)
    for (int64_t to = run.receiver; run.receives(to) && std::size_t(to) < tiles; ++to) {
      const int64_t distance = to - run.firstSender(to);
      const bool isSender = distance >= 0 && distance % run.stride == 0 && distance / run.stride < run.senders;
      bytes[std::size_t(to)] += (run.senders - isSender) * run.bytes;
    }
  return bytes;
}

PairSweep::PairSweep(std::vector<PairRun> runs) : m_runs(std::move(runs)) {
  std::stable_sort(m_runs.begin(), m_runs.end(), [](const PairRun& a, const PairRun& b) { return a.receiver < b.receiver; });
}

bool PairSweep::next() {
  do {
    ++m_receiver;
    std::erase_if(m_active, [&](const PairRun* run) { return !run->receives(m_receiver); });
    if (m_active.empty() && m_begun == m_runs.size()) return false;
    if (m_active.empty()) m_receiver = std::max<int64_t>(m_receiver, m_runs[m_begun].receiver);
    for (; m_begun < m_runs.size() && m_runs[m_begun].receiver == m_receiver; ++m_begun) m_active.push_back(&m_runs[m_begun]);
    m_senders.clear();
    for (const PairRun* run : m_active)
      run->forEachSender(m_receiver, [&](int64_t from) { m_senders.emplace_back(from, run->bytes); });
  } while (m_senders.empty());
  std::sort(m_senders.begin(), m_senders.end());
  std::size_t kept = 0;
  for (const auto& [from, bytes] : m_senders)
    if (kept && m_senders[kept - 1].first == from)
      m_senders[kept - 1].second += bytes;
    else
      m_senders[kept++] = {from, bytes};
  m_senders.resize(kept);
  return true;
}

namespace {

// The fields in the order of their columns; fields that rarely change are packed as runs.
struct PairColumn {
  int32_t PairRun::*field;
  bool asRuns;
};
constexpr PairColumn kPairColumns[] = {{&PairRun::receiver, false}, {&PairRun::receivers, true}, {&PairRun::sender, false},
                                       {&PairRun::senders, true},   {&PairRun::stride, true},    {&PairRun::shift, true}};

void append(Blob& blob, const Blob& more) { blob.insert(blob.end(), more.begin(), more.end()); }

[[noreturn]] void impossiblePairs(std::string_view what, const std::string& why) {
  throw Error(ErrorCode::Damaged, "impossible pairs of tiles: " + why, std::string(what),
              "the report was made by a faulty program or is damaged");
}

// f(index, value) for `count` values of a column.
template<class F> void readColumn(PackedReader& in, bool asRuns, std::size_t count, std::string_view what, F f) {
  uint64_t value = 0; // wraps instead of overflowing: damaged input may hold any difference
  for (std::size_t i = 0; i < count;) {
    const uint64_t length = asRuns ? in.varint() : 1;
    value += uint64_t(in.zigzag());
    if (length == 0 || length > count - i) impossiblePairs(what, "a column does not hold " + std::to_string(count) + " values");
    for (uint64_t k = 0; k < length; ++k) f(i++, int64_t(value));
  }
}

void checkPairs(const PairRun& run, int64_t tiles, std::string_view what) {
  if (run.receivers < 1 || run.senders < 1 || run.stride < 1) impossiblePairs(what, "a run without receivers or senders");
  if (run.bytes < 1 || run.bytes > kMostPairBytes) impossiblePairs(what, std::to_string(run.bytes) + " bytes");
  const int64_t lastReceiver = int64_t(run.receiver) + run.receivers - 1;
  const int64_t reach = int64_t(run.senders - 1) * run.stride, moved = run.firstSender(lastReceiver);
  for (const int64_t tile : {int64_t(run.receiver), lastReceiver, int64_t(run.sender), run.sender + reach, moved, moved + reach})
    if (tile < 0 || tile >= tiles) impossiblePairs(what, "tile " + std::to_string(tile) + " of " + std::to_string(tiles));
}

Blob packPlainly(std::span<const PairRun> runs) {
  PackedWriter count;
  count.varint(runs.size());
  Blob blob = count.take();
  std::vector<int64_t> values(runs.size());
  for (const PairColumn& column : kPairColumns) {
    std::transform(runs.begin(), runs.end(), values.begin(), [&](const PairRun& run) { return int64_t(run.*column.field); });
    append(blob, column.asRuns ? packRuns(values) : packDeltas(values));
  }
  std::transform(runs.begin(), runs.end(), values.begin(), [](const PairRun& run) { return run.bytes; });
  append(blob, packRuns(values));
  return blob;
}

// Shorter lists are not compressed.
constexpr std::size_t kLeastCompressed = 64;
// A run has seven numbers of at most ten bytes.
constexpr uint64_t kMostPackedBytes = uint64_t(kMostPairRuns) * 70 + 10;

std::string_view asText(const Blob& blob) { return {reinterpret_cast<const char*>(blob.data()), blob.size()}; }
} // namespace

// Exchanges between mismatched layouts have thousands of runs that differ little: compression reduces them to a tenth.
Blob packPairs(std::span<const PairRun> runs) {
  Blob blob = packPlainly(runs);
  if (blob.size() < kLeastCompressed) return blob;
  PackedWriter head;
  head.varint(0); // a list that begins with 0 is empty
  head.varint(0); // offset that is added to tile numbers
  head.varint(blob.size());
  Blob small = head.take();
  append(small, compress(asText(blob)));
  return small.size() < blob.size() ? small : blob;
}

namespace {
// Tile numbers of a plain list, without an offset.
std::vector<PairRun> unpackPlainly(std::span<const uint8_t> bytes, std::string_view what) {
  PackedReader in(bytes, what);
  const uint64_t count = in.varint();
  if (count > kMostPairRuns) impossiblePairs(what, std::to_string(count) + " runs");
  std::vector<PairRun> runs(count);
  for (const PairColumn& column : kPairColumns)
    readColumn(in, column.asRuns, runs.size(), what, [&](std::size_t i, int64_t value) {
      if (value != int32_t(value)) impossiblePairs(what, "tile " + std::to_string(value));
      runs[i].*column.field = int32_t(value);
    });
  readColumn(in, true, runs.size(), what, [&](std::size_t i, int64_t value) { runs[i].bytes = value; });
  if (!in.atEnd()) impossiblePairs(what, "more than " + std::to_string(count) + " runs");
  return runs;
}

struct PackedHead {
  uint64_t base = 0, size = 0;
  std::size_t bytes = 0; // of the head
};
PackedHead headOf(std::span<const uint8_t> bytes, std::string_view what) {
  PackedReader in(bytes, what);
  PackedHead head;
  in.varint();
  head.base = in.varint(), head.size = in.varint();
  if (head.base > uint64_t(std::numeric_limits<int32_t>::max())) impossiblePairs(what, "tile " + std::to_string(head.base));
  if (head.size < kLeastCompressed || head.size > kMostPackedBytes)
    impossiblePairs(what, std::to_string(head.size) + " packed bytes");
  PackedWriter read;
  read.varint(0), read.varint(head.base), read.varint(head.size);
  head.bytes = std::min(read.size(), bytes.size());
  return head;
}
} // namespace

Blob movedPairs(const Blob& packed, int64_t by) {
  if (by == 0 || packed.empty()) return packed;
  if (packed[0] != 0 || packed.size() == 1) {
    std::vector<PairRun> runs = unpackPlainly(packed, "pairs");
    for (PairRun& run : runs) run.receiver += int32_t(by), run.sender += int32_t(by);
    return packPairs(runs);
  }
  const PackedHead head = headOf(packed, "pairs");
  PackedWriter moved;
  moved.varint(0), moved.varint(head.base + uint64_t(by)), moved.varint(head.size);
  Blob blob = moved.take();
  blob.insert(blob.end(), packed.begin() + std::ptrdiff_t(head.bytes), packed.end());
  return blob;
}

std::vector<PairRun> unpackPairs(std::span<const uint8_t> bytes, std::size_t tiles, std::string_view what) {
  std::vector<PairRun> runs;
  if (bytes.size() > 1 && bytes[0] == 0) { // compressed
    const PackedHead head = headOf(bytes, what);
    const std::string plain = decompress(bytes.subspan(head.bytes), std::size_t(head.size), what);
    runs = unpackPlainly({reinterpret_cast<const uint8_t*>(plain.data()), plain.size()}, what);
    for (PairRun& run : runs) {
      const int64_t receiver = int64_t(head.base) + run.receiver, sender = int64_t(head.base) + run.sender;
      if (receiver != int32_t(receiver) || sender != int32_t(sender)) impossiblePairs(what, "tile " + std::to_string(receiver));
      run.receiver = int32_t(receiver), run.sender = int32_t(sender);
    }
  } else {
    runs = unpackPlainly(bytes, what);
  }
  for (const PairRun& run : runs) checkPairs(run, int64_t(tiles), what);
  if (areTooManyPairs(runs, tiles)) impossiblePairs(what, "more than there can be");
  return runs;
}

} // namespace reports
