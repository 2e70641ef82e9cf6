#include "reports/rows/slice_track.h"

#include "reports/core/error.h"
#include "reports/rows/slice_decode.h"

#include <algorithm>
#include <array>
#include <limits>

namespace reports {

namespace {

constexpr int64_t kSlicesPerBucket = 64;
constexpr int64_t kTopBuckets = 64;       // most buckets of the coarsest stored level
constexpr int64_t kGrowingBuckets = 4096; // while slices arrive: more buckets, because the start does not show the final rate
constexpr int64_t kMostBuckets = 1 << 20;
constexpr int kShallow = 64; // deeper lanes are many and hold few slices: they start small
constexpr int64_t kGrowingDeepBuckets = 128;

enum class Fault { Overlap, NegativeStart, NegativeDuration, BeyondLastTick, TooDeep };
constexpr int kFaults = 5;
constexpr std::array<const char*, kFaults> kFaultTexts{
    "slices overlap the slice before them on the same depth; the common part was given to the earlier one",
    "slices start before tick 0; the part before was cut off", "slices end before they start; shown without duration",
    "slices end after the last tick a report can hold; cut there", "slices are nested too deeply; put on the last depth"};

} // namespace

// The finest level of the pyramid, which grows at its end.
class FinestLevel {
public:
  void add(int64_t start, int64_t end, int64_t nameId, uint8_t category, int64_t slicesSoFar, int depth) {
    const int64_t least = depth < kShallow ? kGrowingBuckets : kGrowingDeepBuckets;
    const int64_t limit = std::clamp(slicesSoFar / kSlicesPerBucket, least, kMostBuckets);
    while (bucketsWith(start, end) > limit) halve();
    const int64_t first = start >> m_level.shift, last = lastIndex(start, end);
    SliceBucket& bucket = at(first);
    ++bucket.slices;
    if (bucket.shareCount == 0 || end - start > bucket.widestTicks) {
      bucket.widestTicks = end - start;
      bucket.widestName = uint32_t(nameId);
    }
    addBusy(bucket, category, std::min(end, (first + 1) << m_level.shift) - start);
    if (last > first) addRest(first + 1, last, start, end, uint32_t(nameId), category);
  }

  // Coarsened for the final number of slices.
  SliceLevel take(int64_t slices) {
    const int64_t limit = std::clamp(slices / kSlicesPerBucket, kTopBuckets, kMostBuckets);
    while (int64_t(m_level.buckets.size()) > limit) halve();
    m_spare = {};
    return std::move(m_level);
  }

private:
  // The buckets after the first that a slice crosses: no earlier slice extends into them.
  void addRest(int64_t from, int64_t last, int64_t start, int64_t end, uint32_t nameId, uint8_t category) {
    auto& [shift, buckets, shares] = m_level;
    const std::size_t bucketsBefore = buckets.size(), sharesBefore = shares.size(), count = std::size_t(last - from + 1);
    const int64_t width = m_level.bucketTicks();
    buckets.resize(bucketsBefore + count);
    shares.resize(sharesBefore + count, {category, width});
    for (std::size_t i = 0; i < count; ++i) {
      SliceBucket& bucket = buckets[bucketsBefore + i];
      bucket.index = from + int64_t(i);
      bucket.widestTicks = end - start;
      bucket.widestName = nameId;
      bucket.firstShare = uint32_t(sharesBefore + i);
      bucket.shareCount = 1;
    }
    shares.back().busyTicks = end - (last << shift);
  }
  void halve() {
    coarsen(m_level, m_spare);
    std::swap(m_level, m_spare);
  }
  int64_t lastIndex(int64_t start, int64_t end) const { return (end > start ? end - 1 : end) >> m_level.shift; }
  int64_t bucketsWith(int64_t start, int64_t end) const {
    const int64_t first = start >> m_level.shift, crossed = lastIndex(start, end) - first + 1;
    const bool shared = !m_level.buckets.empty() && m_level.buckets.back().index == first;
    return int64_t(m_level.buckets.size()) + crossed - (shared ? 1 : 0);
  }
  SliceBucket& at(int64_t index) {
    auto& buckets = m_level.buckets;
    if (buckets.empty() || buckets.back().index != index) {
      SliceBucket bucket;
      bucket.index = index;
      bucket.firstShare = uint32_t(m_level.shares.size());
      buckets.push_back(bucket);
    }
    return buckets.back();
  }
  // The last bucket's shares are the last shares, so a new category is inserted at the end.
  void addBusy(SliceBucket& bucket, uint8_t category, int64_t busy) {
    auto& shares = m_level.shares;
    const auto begin = shares.begin() + bucket.firstShare;
    const auto found = std::find_if(begin, shares.end(), [&](const SliceShare& s) { return s.category >= category; });
    if (found != shares.end() && found->category == category) {
      found->busyTicks += busy;
    } else {
      shares.insert(found, {category, busy});
      ++bucket.shareCount;
    }
  }
  SliceLevel m_level;
  SliceLevel m_spare; // memory for the next coarser level
};

struct TrackDepth {
  int64_t slices = 0, chunks = 0, end = 0; // over all chunks
  int64_t inChunk = 0, chunkFirst = 0, lastRef = 0;
  PackedWriter gaps, durations, names, categories, refs;
  FinestLevel base;
};

struct SliceTrackBuilder::State {
  ReportSink& sink;
  TrackRow track;
  std::vector<TrackDepth> depths;
  std::array<int64_t, kFaults> faults{};
  bool finished = false;

  void count(Fault fault) { ++faults[std::size_t(fault)]; }
  void flush(std::size_t depth);
  void writeLevels(std::size_t depth);
  void writeIssues();
};

SliceTrackBuilder::SliceTrackBuilder(ReportSink& sink, TrackRow header)
    : m_state(new State{sink, std::move(header), {}, {}, false}) {
  auto& track = m_state->track;
  track.depths = track.slices = track.firstTick = track.endTick = 0;
}
SliceTrackBuilder::~SliceTrackBuilder() = default;
SliceTrackBuilder::SliceTrackBuilder(SliceTrackBuilder&&) noexcept = default;
SliceTrackBuilder& SliceTrackBuilder::operator=(SliceTrackBuilder&&) noexcept = default;

SliceTrackBuilder SliceTrackBuilder::copyTo(ReportSink& sink) const {
  SliceTrackBuilder copy(sink, m_state->track);
  copy.m_state->track = m_state->track;
  copy.m_state->depths = m_state->depths;
  copy.m_state->faults = m_state->faults;
  return copy;
}

const TrackRow& SliceTrackBuilder::track() const { return m_state->track; }

void SliceTrackBuilder::add(int depth, int64_t startTick, int64_t durationTicks, int64_t nameId, uint8_t category, int64_t ref) {
  State& s = *m_state;
  if (s.finished || depth < 0 || nameId < 0 || nameId > std::numeric_limits<uint32_t>::max() || ref < -1 ||
      ref > std::numeric_limits<int32_t>::max())
    throw Error(ErrorCode::Internal, "slice added with an impossible depth, name or reference, or too late", s.track.name);
  if (depth >= kMaxDepth) {
    s.count(Fault::TooDeep);
    depth = kMaxDepth - 1;
  }
  if (std::size_t(depth) >= s.depths.size()) s.depths.resize(std::size_t(depth) + 1);
  TrackDepth& d = s.depths[std::size_t(depth)];

  if (durationTicks < 0) {
    s.count(Fault::NegativeDuration);
    durationTicks = 0;
  }
  int64_t start = startTick, end = startTick > kMaxTick - durationTicks ? kMaxTick + 1 : startTick + durationTicks;
  if (start < 0) {
    s.count(Fault::NegativeStart);
    start = 0;
    end = std::max<int64_t>(end, 0);
  }
  if (end > kMaxTick) {
    s.count(Fault::BeyondLastTick);
    end = kMaxTick;
    start = std::min(start, end);
  }
  if (start < d.end) {
    s.count(Fault::Overlap);
    start = d.end;
    end = std::max(start, end);
  }

  if (d.inChunk == 0) {
    d.chunkFirst = start;
    d.gaps.varint(0);
  } else {
    d.gaps.varint(uint64_t(start - d.end));
  }
  d.durations.varint(uint64_t(end - start));
  d.names.varint(uint64_t(nameId));
  d.categories.byte(category);
  d.refs.zigzag(ref - d.lastRef);
  d.lastRef = ref;
  d.end = end;
  ++d.slices;
  d.base.add(start, end, nameId, category, d.slices, depth);
  s.track.firstTick = s.track.slices == 0 ? start : std::min(s.track.firstTick, start);
  s.track.endTick = std::max(s.track.endTick, end);
  ++s.track.slices;
  if (++d.inChunk == kSlicesPerChunk) s.flush(std::size_t(depth));
}

void SliceTrackBuilder::State::flush(std::size_t depth) {
  TrackDepth& d = depths[depth];
  if (d.inChunk == 0) return;
  SliceChunkRow row;
  row.trackId = track.id;
  row.depth = int64_t(depth);
  row.chunk = d.chunks++;
  row.slices = d.inChunk;
  row.firstTick = d.chunkFirst;
  row.endTick = d.end;
  row.gaps = d.gaps.take();
  row.durations = d.durations.take();
  row.names = d.names.take();
  row.categories = d.categories.take();
  row.refs = d.refs.take();
  d.gaps = d.durations = d.names = d.categories = d.refs = PackedWriter();
  d.inChunk = d.lastRef = 0;
  sink.add(row);
}

void SliceTrackBuilder::State::writeLevels(std::size_t depth) {
  TrackDepth& d = depths[depth];
  if (d.slices == 0) return;
  SliceLevel level = d.base.take(d.slices);
  for (int64_t number = 0;; ++number) {
    SliceLevelRow row;
    row.trackId = track.id;
    row.depth = int64_t(depth);
    row.level = number;
    row.bucketShift = level.shift;
    row.buckets = int64_t(level.buckets.size());
    row.data = encodeLevel(level);
    sink.add(row);
    if (row.buckets <= kTopBuckets || level.shift == 62) return;
    level = coarser(level);
  }
}

void SliceTrackBuilder::State::writeIssues() {
  for (int i = 0; i < kFaults; ++i) {
    const int64_t n = faults[std::size_t(i)];
    if (n == 0) continue;
    sink.add(ReportIssueRow{0, "warning", "track " + track.name, kFaultTexts[std::size_t(i)],
                            "check the clocks and the nesting of the trace", n});
  }
}

TrackRow SliceTrackBuilder::finish() {
  State& s = *m_state;
  if (s.finished) throw Error(ErrorCode::Internal, "track finished twice", s.track.name);
  s.finished = true;
  s.track.depths = int64_t(s.depths.size());
  for (std::size_t depth = 0; depth < s.depths.size(); ++depth) {
    s.flush(depth);
    s.writeLevels(depth);
  }
  s.writeIssues();
  s.depths.clear();
  s.sink.add(s.track);
  return s.track;
}

} // namespace reports
