#include "reports/rows/slice_decode.h"

#include "reports/core/error.h"
#include "reports/rows/slice_track.h"

#include <limits>

namespace reports {

namespace {
[[noreturn]] void damaged(const char* what, std::string_view table) { throw Error(ErrorCode::Damaged, what, std::string(table)); }

// Undoes an incomplete append when a column turns out to be damaged.
class Rollback {
public:
  explicit Rollback(SliceColumns& columns) : m_columns(columns), m_size(columns.size()) {}
  ~Rollback() {
    if (!m_done) resize(m_size);
  }
  void resize(std::size_t n) {
    m_columns.starts.resize(n);
    m_columns.durations.resize(n);
    m_columns.names.resize(n);
    m_columns.categories.resize(n);
    m_columns.refs.resize(n);
  }
  void done() { m_done = true; }

private:
  SliceColumns& m_columns;
  std::size_t m_size;
  bool m_done = false;
};

void requireBytes(const SliceChunkRow& row, std::size_t n) {
  if (row.gaps.size() < n || row.durations.size() < n || row.names.size() < n || row.categories.size() != n ||
      row.refs.size() < n)
    damaged("a chunk holds fewer values than slices", "slice_chunk");
}

void requireEnd(const PackedReader& reader) {
  if (!reader.atEnd()) damaged("a chunk holds more values than slices", "slice_chunk");
}

// Decodes the first n slices. If the chunk has no more slices, checks that the columns end there too.
void decodeTimes(const SliceChunkRow& row, std::size_t n, int64_t* starts, int64_t* durations) {
  PackedReader gaps(row.gaps, "slice_chunk.gaps"), lengths(row.durations, "slice_chunk.durations");
  int64_t at = row.firstTick;
  for (std::size_t i = 0; i < n; ++i) {
    const uint64_t gap = gaps.varint(), length = lengths.varint();
    if (gap > uint64_t(row.endTick - at) || length > uint64_t(row.endTick - at) - gap)
      damaged("a slice ends after its chunk", "slice_chunk");
    starts[i] = at + int64_t(gap);
    durations[i] = int64_t(length);
    at = starts[i] + durations[i];
  }
  if (n < std::size_t(row.slices)) return;
  if (at != row.endTick) damaged("the last slice of a chunk does not end at the end of the chunk", "slice_chunk");
  requireEnd(gaps);
  requireEnd(lengths);
}

void decodeNames(const SliceChunkRow& row, std::size_t n, uint32_t* names, int32_t* refs) {
  PackedReader ids(row.names, "slice_chunk.names"), deltas(row.refs, "slice_chunk.refs");
  int64_t ref = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const uint64_t id = ids.varint();
    if (id > std::numeric_limits<uint32_t>::max()) damaged("a name is not a possible string id", "slice_chunk.names");
    names[i] = uint32_t(id);
    ref = int64_t(uint64_t(ref) + uint64_t(deltas.zigzag()));
    if (ref < -1 || ref > std::numeric_limits<int32_t>::max()) damaged("a reference is not a possible id", "slice_chunk.refs");
    refs[i] = int32_t(ref);
  }
  if (n < std::size_t(row.slices)) return;
  requireEnd(ids);
  requireEnd(deltas);
}
} // namespace

void SliceColumns::reserve(std::size_t n) {
  starts.reserve(n);
  durations.reserve(n);
  names.reserve(n);
  categories.reserve(n);
  refs.reserve(n);
}

namespace {
void appendFirst(const SliceChunkRow& row, std::size_t most, SliceColumns& out) {
  if (row.slices < 1 || row.slices > kSlicesPerChunk) damaged("a chunk has an impossible number of slices", "slice_chunk");
  if (row.firstTick < 0 || row.endTick < row.firstTick || row.endTick > kMaxTick)
    damaged("a chunk ends before it starts", "slice_chunk");
  requireBytes(row, std::size_t(row.slices));
  const auto n = std::min(std::size_t(row.slices), most), first = out.size();
  Rollback rollback(out);
  rollback.resize(first + n);
  decodeTimes(row, n, out.starts.data() + first, out.durations.data() + first);
  decodeNames(row, n, out.names.data() + first, out.refs.data() + first);
  std::copy_n(row.categories.begin(), n, out.categories.begin() + std::ptrdiff_t(first));
  rollback.done();
}

} // namespace

void appendChunk(const SliceChunkRow& row, SliceColumns& out) { appendFirst(row, kSlicesPerChunk, out); }

SliceColumns decodeChunk(const SliceChunkRow& row) {
  SliceColumns columns;
  appendChunk(row, columns);
  return columns;
}

SliceColumns decodeHead(const SliceChunkRow& row, std::size_t most) {
  SliceColumns columns;
  appendFirst(row, most, columns);
  return columns;
}

int64_t SliceLevel::busyTicks(const SliceBucket& b) const {
  int64_t sum = 0;
  for (const auto& share : sharesOf(b)) sum += share.busyTicks;
  return sum;
}

namespace {
SliceBucket decodeBucket(PackedReader& reader, int64_t index, SliceLevel& level) {
  SliceBucket bucket;
  bucket.index = index;
  const uint64_t slices = reader.varint(), widest = reader.varint(), name = reader.varint(), shares = reader.varint();
  if (slices > uint64_t(kMaxTick) || widest > uint64_t(kMaxTick) || name > std::numeric_limits<uint32_t>::max() || shares > 256)
    damaged("a bucket holds an impossible number", "slice_level.data");
  bucket.slices = int64_t(slices);
  bucket.widestTicks = int64_t(widest);
  bucket.widestName = uint32_t(name);
  bucket.firstShare = uint32_t(level.shares.size());
  bucket.shareCount = uint32_t(shares);
  uint64_t room = uint64_t(level.bucketTicks());
  for (uint64_t i = 0; i < shares; ++i) {
    const uint8_t category = reader.byte();
    const uint64_t busy = reader.varint();
    if (i > 0 && category <= level.shares.back().category) damaged("categories of a bucket are not in order", "slice_level.data");
    if (busy > room) damaged("a bucket is busy for longer than it lasts", "slice_level.data");
    room -= busy;
    level.shares.push_back({category, int64_t(busy)});
  }
  return bucket;
}
} // namespace

SliceLevel decodeLevel(const SliceLevelRow& row) {
  constexpr int64_t kLeastBytes = 5; // of a bucket
  if (row.bucketShift < 0 || row.bucketShift > 62) damaged("a level has an impossible bucket width", "slice_level");
  if (row.buckets < 0 || row.buckets > int64_t(row.data.size()) / kLeastBytes)
    damaged("a level holds fewer values than buckets", "slice_level");
  SliceLevel level;
  level.shift = int(row.bucketShift);
  level.buckets.reserve(std::size_t(row.buckets));
  PackedReader reader(row.data, "slice_level.data");
  const int64_t lastIndex = kMaxTick >> level.shift;
  int64_t index = -1;
  for (int64_t i = 0; i < row.buckets; ++i) {
    const uint64_t gap = reader.varint();
    if (gap == 0 || gap > uint64_t(lastIndex - index)) damaged("buckets of a level are not in order", "slice_level.data");
    index += int64_t(gap);
    level.buckets.push_back(decodeBucket(reader, index, level));
  }
  if (!reader.atEnd()) damaged("a level holds more values than buckets", "slice_level.data");
  level.shares.shrink_to_fit(); // levels use most of the memory of an open trace
  return level;
}

Blob encodeLevel(const SliceLevel& level) {
  PackedWriter writer;
  int64_t previous = -1;
  for (const auto& bucket : level.buckets) {
    writer.varint(uint64_t(bucket.index - previous));
    previous = bucket.index;
    writer.varint(uint64_t(bucket.slices));
    writer.varint(uint64_t(bucket.widestTicks));
    writer.varint(bucket.widestName);
    writer.varint(bucket.shareCount);
    for (const auto& share : level.sharesOf(bucket)) {
      writer.byte(share.category);
      writer.varint(uint64_t(share.busyTicks));
    }
  }
  return writer.take();
}

namespace {
// Appends the shares of a and b, by category.
uint32_t mergeShares(std::span<const SliceShare> a, std::span<const SliceShare> b, std::vector<SliceShare>& out) {
  const auto before = out.size();
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].category < b[j].category))
      out.push_back(a[i++]);
    else if (i == a.size() || b[j].category < a[i].category)
      out.push_back(b[j++]);
    else {
      out.push_back({a[i].category, a[i].busyTicks + b[j].busyTicks});
      ++i, ++j;
    }
  }
  return uint32_t(out.size() - before);
}
} // namespace

SliceLevel coarser(const SliceLevel& level) {
  SliceLevel parent;
  coarsen(level, parent);
  return parent;
}

void coarsen(const SliceLevel& level, SliceLevel& parent) {
  parent.shift = level.shift + 1;
  parent.buckets.clear();
  parent.shares.clear();
  parent.buckets.reserve(level.buckets.size() / 2 + 1);
  parent.shares.reserve(level.shares.size() / 2 + 1);
  for (std::size_t i = 0; i < level.buckets.size(); ++i) {
    SliceBucket bucket = level.buckets[i];
    const auto left = level.sharesOf(bucket);
    std::span<const SliceShare> right;
    if (i + 1 < level.buckets.size() && level.buckets[i + 1].index >> 1 == bucket.index >> 1) {
      const SliceBucket& other = level.buckets[++i];
      right = level.sharesOf(other);
      bucket.slices += other.slices;
      if (other.widestTicks > bucket.widestTicks) {
        bucket.widestTicks = other.widestTicks;
        bucket.widestName = other.widestName;
      }
    }
    bucket.index >>= 1;
    bucket.firstShare = uint32_t(parent.shares.size());
    bucket.shareCount = mergeShares(left, right, parent.shares);
    parent.buckets.push_back(bucket);
  }
}

} // namespace reports
