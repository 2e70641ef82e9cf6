#include "analyser/trace/slices.h"

#include "analyser/trace/cells.h"
#include "analyser/trace/slice_store.h"
#include "reports/rows/slice_track.h"
#include "reports/sqlite/reader.h"

#include <limits>
#include <numeric>

namespace analyser::trace {

namespace {

Slice sliceOf(const reports::SliceColumns& columns, std::size_t i, int depth, int64_t chunk, int64_t shift) {
  Slice s;
  s.ticks = {columns.starts[i] + shift, columns.end(i) + shift};
  s.name = StringId(columns.names[i]);
  s.category = columns.categories[i];
  s.depth = depth;
  s.ref = columns.refs[i];
  s.number = chunk * reports::kSlicesPerChunk + int64_t(i);
  return s;
}

// The moved range; saturates at the ends of int64_t, because a range may reach the last tick.
TickRange moved(TickRange range, int64_t ticks) {
  const auto plus = [ticks](int64_t tick) {
    constexpr auto kLow = std::numeric_limits<int64_t>::min(), kHigh = std::numeric_limits<int64_t>::max();
    if (ticks > 0 && tick > kHigh - ticks) return kHigh;
    if (ticks < 0 && tick < kLow - ticks) return kLow;
    return tick + ticks;
  };
  return {plus(range.begin), plus(range.end)};
}

// First slice of a chunk that ends after `tick`, or that starts at or after it.
std::size_t firstFrom(const reports::SliceColumns& c, int64_t tick) {
  std::size_t low = 0, high = c.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (c.end(middle) <= tick && c.starts[middle] < tick)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Index of the coarsest level whose buckets are at most `ticks` wide; nullopt if all are wider.
std::optional<std::size_t> coarsestLevel(const SliceStore::Lane& lane, double ticks) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < lane.levels.size(); ++i)
    if (double(int64_t(1) << lane.levels[i].shift) <= ticks) best = i;
  return best;
}

} // namespace

int64_t CategoryTicks::total() const { return std::accumulate(ticks.begin(), ticks.end(), int64_t(0)); }

Slices::Slices(Session& session, std::string trackKind, int64_t exactSlices)
    : m_session(session), m_exactSlices(exactSlices), m_store(std::make_unique<SliceStore>(session)) {
  const std::string ofIo = trackKind + "_io";
  session.reader().forEach<reports::TrackRow>("kind IN (?, ?) ORDER BY id", {std::move(trackKind), ofIo},
                                              [&](reports::TrackRow& row) {
                                                Track t;
                                                t.id = TrackId(static_cast<std::size_t>(row.id));
                                                t.kind = std::move(row.kind);
                                                t.name = std::move(row.name);
                                                t.tickUnit = std::move(row.tickUnit);
                                                t.provenance = std::move(row.provenance);
                                                if (row.ipu) t.ipu = IpuId(static_cast<std::size_t>(*row.ipu));
                                                t.depths = static_cast<int>(row.depths);
                                                t.slices = row.slices;
                                                t.range = {row.firstTick, row.endTick};
                                                m_places.emplace(t.id.value(), m_tracks.size());
                                                m_tracks.push_back(std::move(t));
                                              });
  measure();
}

void Slices::measure() {
  m_range = {};
  for (const Track& t : m_tracks) {
    if (t.slices <= 0) continue;
    const TickRange own = moved(t.range, t.shift);
    m_range = {m_range.empty() ? own.begin : std::min(m_range.begin, own.begin),
               m_range.empty() ? own.end : std::max(m_range.end, own.end)};
  }
}

void Slices::setShift(TrackId track, int64_t ticks) {
  for (Track& t : m_tracks)
    if (t.id == track) t.shift = ticks;
  measure();
}

int64_t Slices::shiftOf(TrackId track) const {
  const Track* t = this->track(track);
  return t ? t->shift : 0;
}

Slices::~Slices() = default;

const Track* Slices::track(TrackId id) const {
  const auto it = m_places.find(id.value());
  return it == m_places.end() ? nullptr : &m_tracks[it->second];
}

void Slices::visit(TrackId track, int depth, TickRange range, std::stop_token stop, Visitor f, void* context) {
  if (range.empty()) return;
  const int64_t shift = shiftOf(track);
  range = moved(range, -shift);
  const SliceStore::Lane& lane = m_store->lane(track, depth);
  const auto [first, last] = lane.chunksIn(range);
  constexpr std::size_t kMostKept = 8; // chunks of one walk
  for (std::size_t index = first; index < last; ++index) {
    reports::throwIfStopped(stop);
    const auto chunk = m_store->chunk(lane, index, last - first <= kMostKept);
    for (std::size_t i = firstFrom(*chunk, range.begin); i < chunk->size(); ++i) {
      if (chunk->starts[i] >= range.end) return;
      if (!f(context, sliceOf(*chunk, i, depth, lane.chunks[index].chunk, shift))) return;
    }
  }
}

int64_t Slices::countIn(TrackId track, int depth, TickRange range) {
  return m_store->lane(track, depth).slicesIn(moved(range, -shiftOf(track)));
}

void Slices::forEachPiece(TrackId track, int depth, TickRange range, std::size_t pieces, std::stop_token stop,
                          const std::function<void(const Piece&)>& f) {
  constexpr std::size_t kOfAPiece = 1024; // slices read per piece: many iterations of a loop's steps
  if (range.empty() || pieces == 0) return;
  const int64_t shift = shiftOf(track);
  const SliceStore::Lane& lane = m_store->lane(track, depth);
  const auto [first, last] = lane.chunksIn(moved(range, -shift));
  const std::size_t chunks = std::max<std::size_t>(1, (last - first + pieces - 1) / pieces); // per piece
  for (std::size_t begin = first; begin < last; begin += chunks) {
    reports::throwIfStopped(stop);
    const std::size_t end = std::min(last, begin + chunks);
    const reports::SliceColumns head = m_store->head(lane, begin, kOfAPiece);
    Piece piece;
    piece.ticks = moved({lane.chunks[begin].ticks.begin, lane.chunks[end - 1].ticks.end}, shift);
    int64_t all = 0;
    for (std::size_t i = begin; i < end; ++i) all += lane.chunks[i].slices;
    piece.weight = double(all) / double(head.size());
    for (std::size_t i = 0; i < head.size(); ++i)
      piece.slices.push_back(sliceOf(head, i, depth, lane.chunks[begin].chunk, shift));
    f(piece);
  }
}

Cells Slices::cells(TrackId track, int depth, TickRange range, int pixels, std::stop_token stop) {
  Cells cells;
  cells.track = track;
  cells.depth = depth;
  cells.range = range;
  if (range.empty() || pixels <= 0) return cells;
  const double pixel = double(range.size()) / pixels;
  const int64_t shift = shiftOf(track);
  const TickRange own = moved(range, -shift);
  const SliceStore::Lane& lane = m_store->lane(track, depth);
  auto level = coarsestLevel(lane, pixel);
  if (!level) level = coarsestLevel(lane, 2 * pixel);
  if (level && lane.slicesIn(own) > m_exactSlices) {
    cells.fromPyramid = true;
    auto buckets = m_store->level(lane, *level);
    while (double(buckets->bucketTicks()) * 2 <= pixel && buckets->shift < 61) // coarser than the levels in the report
      buckets = std::make_shared<const reports::SliceLevel>(reports::coarser(*buckets));
    cells.cells = bucketCells(*buckets, own);
    for (Cell& cell : cells.cells) cell.ticks = moved(cell.ticks, shift);
    return cells;
  }
  CellMerger merger(range.begin, pixel);
  forEach(track, depth, range, std::move(stop), [&](const Slice& s) { merger.add(s); });
  cells.cells = merger.take();
  return cells;
}

std::vector<Slice> Slices::slices(TrackId track, int depth, TickRange range, std::size_t limit, std::stop_token stop) {
  struct Context {
    std::vector<Slice> found;
    std::size_t limit;
  } context{{}, limit};
  if (limit == 0) return {};
  visit(
      track, depth, range, std::move(stop),
      [](void* p, const Slice& s) {
        auto& c = *static_cast<Context*>(p);
        c.found.push_back(s);
        return c.found.size() < c.limit;
      },
      &context);
  return std::move(context.found);
}

std::optional<Slice> Slices::sliceAt(TrackId track, int depth, int64_t tick) {
  const auto found = slices(track, depth, {tick, tick + 1}, 2);
  if (found.empty()) return std::nullopt;
  // A slice without duration that begins at the tick comes before the one that covers it.
  return found.size() > 1 && found[0].duration() == 0 ? found[1] : found[0];
}

std::optional<Slice> Slices::deepestAt(TrackId track, int64_t tick) {
  const Track* t = this->track(track);
  for (int depth = t ? t->depths - 1 : -1; depth >= 0; --depth)
    if (auto found = sliceAt(track, depth, tick)) return found;
  return std::nullopt;
}

std::optional<Slice> Slices::next(TrackId track, int depth, int64_t tick) {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  for (const Slice& s : slices(track, depth, {tick, kEnd}, 3))
    if (s.ticks.begin > tick) return s;
  return std::nullopt;
}

std::optional<Slice> Slices::previous(TrackId track, int depth, int64_t tick) {
  const int64_t shift = shiftOf(track);
  tick -= shift;
  const SliceStore::Lane& lane = m_store->lane(track, depth);
  const auto [first, last] = lane.chunksIn({std::numeric_limits<int64_t>::min(), tick});
  for (std::size_t index = last; index-- > first;) {
    const auto chunk = m_store->chunk(lane, index);
    for (std::size_t i = chunk->size(); i-- > 0;)
      if (chunk->starts[i] < tick && chunk->end(i) <= tick) return sliceOf(*chunk, i, depth, lane.chunks[index].chunk, shift);
  }
  return std::nullopt;
}

CategoryTicks Slices::busyTicks(TrackId track, int depth, TickRange range, std::stop_token stop) {
  CategoryTicks sum;
  if (range.empty()) return sum;
  const int64_t moves = shiftOf(track);
  const TickRange own = moved(range, -moves);
  const SliceStore::Lane& lane = m_store->lane(track, depth);
  // Whole buckets from the pyramid; the rest on each side is less than an eighth of the range.
  const auto level = lane.slicesIn(own) > m_exactSlices ? coarsestLevel(lane, double(range.size()) / 8) : std::nullopt;
  if (!level) {
    forEach(track, depth, range, stop, [&](const Slice& s) { sum.ticks[s.category] += s.ticks.clippedTo(range).size(); });
    return sum;
  }
  const auto pyramid = m_store->level(lane, *level);
  const int shift = pyramid->shift;
  const int64_t width = pyramid->bucketTicks();
  const int64_t firstBucket = (own.begin + width - 1) >> shift, endBucket = own.end >> shift;
  auto it = std::partition_point(pyramid->buckets.begin(), pyramid->buckets.end(),
                                 [&](const reports::SliceBucket& b) { return b.index < firstBucket; });
  for (; it != pyramid->buckets.end() && it->index < endBucket; ++it)
    for (const auto& share : pyramid->sharesOf(*it)) sum.ticks[share.category] += share.busyTicks;
  for (const TickRange edge :
       {TickRange{range.begin, (firstBucket << shift) + moves}, TickRange{(endBucket << shift) + moves, range.end}}) {
    const CategoryTicks part = busyTicks(track, depth, edge, stop);
    for (std::size_t c = 0; c < sum.ticks.size(); ++c) sum.ticks[c] += part.ticks[c];
  }
  return sum;
}

} // namespace analyser::trace
