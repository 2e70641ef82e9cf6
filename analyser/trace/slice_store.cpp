#include "analyser/trace/slice_store.h"

#include "reports/sqlite/reader.h"

namespace analyser::trace {

std::pair<std::size_t, std::size_t> SliceStore::Lane::chunksIn(reports::TickRange range) const {
  // A slice without duration at the start of the range also ends there, hence "<" and not "<=".
  const auto first =
      std::partition_point(chunks.begin(), chunks.end(), [&](const ChunkEntry& c) { return c.ticks.end < range.begin; });
  const auto last = std::partition_point(first, chunks.end(), [&](const ChunkEntry& c) { return c.ticks.begin < range.end; });
  return {static_cast<std::size_t>(first - chunks.begin()), static_cast<std::size_t>(last - chunks.begin())};
}

int64_t SliceStore::Lane::slicesIn(reports::TickRange range) const {
  const auto [first, last] = chunksIn(range);
  int64_t n = 0;
  for (std::size_t i = first; i < last; ++i) n += chunks[i].slices;
  return n;
}

const SliceStore::Lane& SliceStore::lane(reports::TrackId track, int depth) {
  const std::pair key(int64_t(track.value()), depth);
  if (const auto it = m_lanes.find(key); it != m_lanes.end()) return it->second;
  Lane lane;
  lane.track = key.first;
  lane.depth = depth;
  auto& connection = m_session.reader().connection();
  reports::Statement chunks(connection, "SELECT chunk, slices, first_tick, end_tick FROM slice_chunk "
                                        "WHERE track_id = ? AND depth = ? ORDER BY chunk");
  chunks.bind(1, key.first);
  chunks.bind(2, int64_t(depth));
  while (chunks.step()) {
    ChunkEntry e;
    chunks.read(0, e.chunk, "slice_chunk.chunk");
    chunks.read(1, e.slices, "slice_chunk.slices");
    chunks.read(2, e.ticks.begin, "slice_chunk.first_tick");
    chunks.read(3, e.ticks.end, "slice_chunk.end_tick");
    const bool inOrder = e.ticks.begin <= e.ticks.end && (lane.chunks.empty() || lane.chunks.back().ticks.end <= e.ticks.begin);
    if (!inOrder)
      throw reports::Error(reports::ErrorCode::Damaged, "slices are not in order of time",
                           "slice_chunk of track " + std::to_string(key.first));
    lane.chunks.push_back(e);
  }
  reports::Statement levels(connection, "SELECT level, bucket_shift, buckets FROM slice_level "
                                        "WHERE track_id = ? AND depth = ? ORDER BY bucket_shift");
  levels.bind(1, key.first);
  levels.bind(2, int64_t(depth));
  while (levels.step()) {
    LevelEntry e;
    int64_t shift = 0;
    levels.read(0, e.level, "slice_level.level");
    levels.read(1, shift, "slice_level.bucket_shift");
    levels.read(2, e.buckets, "slice_level.buckets");
    if (shift < 0 || shift > 61) continue; // decoding it would fail; finer and coarser levels are still usable
    e.shift = static_cast<int>(shift);
    lane.levels.push_back(e);
  }
  return m_lanes.emplace(key, std::move(lane)).first->second;
}

reports::SliceChunkRow SliceStore::read(const Lane& lane, std::size_t index) {
  auto row = m_session.reader().first<reports::SliceChunkRow>("track_id = ? AND depth = ? AND chunk = ?",
                                                              {lane.track, int64_t(lane.depth), lane.chunks[index].chunk});
  if (!row) throw reports::Error(reports::ErrorCode::Damaged, "a chunk of slices is missing", "slice_chunk");
  return std::move(*row);
}

reports::SliceColumns SliceStore::head(const Lane& lane, std::size_t index, std::size_t most) {
  return reports::decodeHead(read(lane, index), most);
}

std::shared_ptr<const reports::SliceColumns> SliceStore::chunk(const Lane& lane, std::size_t index, bool keep) {
  const int64_t number = lane.chunks[index].chunk;
  if (auto found = m_cache->chunks.find(key(lane, number))) return found;
  auto columns = reports::decodeChunk(read(lane, index));
  if (!keep) return std::make_shared<const reports::SliceColumns>(std::move(columns));
  const std::size_t cost = columns.size();
  return m_cache->chunks.insert(key(lane, number), std::move(columns), cost);
}

std::shared_ptr<const reports::SliceLevel> SliceStore::level(const Lane& lane, std::size_t index) {
  const int64_t number = lane.levels[index].level;
  if (auto found = m_cache->levels.find(key(lane, number))) return found;
  const auto row = m_session.reader().first<reports::SliceLevelRow>("track_id = ? AND depth = ? AND level = ?",
                                                                    {lane.track, int64_t(lane.depth), number});
  if (!row) throw reports::Error(reports::ErrorCode::Damaged, "a level of the time pyramid is missing", "slice_level");
  auto level = reports::decodeLevel(*row);
  const std::size_t cost = level.buckets.size();
  return m_cache->levels.insert(key(lane, number), std::move(level), cost);
}

template<class T> std::shared_ptr<const T> SliceCache::Part<T>::find(uint64_t key) {
  const std::scoped_lock lock(m_mutex);
  const auto it = m_index.find(key);
  if (it == m_index.end()) return nullptr;
  m_items.splice(m_items.begin(), m_items, it->second);
  return it->second->value;
}

template<class T> std::shared_ptr<const T> SliceCache::Part<T>::insert(uint64_t key, T value, std::size_t cost) {
  auto shared = std::make_shared<const T>(std::move(value));
  const std::scoped_lock lock(m_mutex);
  if (const auto it = m_index.find(key); it != m_index.end()) return it->second->value; // another thread inserted it first
  m_items.push_front({key, cost, shared});
  m_index[key] = m_items.begin();
  m_used += cost;
  while (m_used > m_budget && m_items.size() > 1) {
    m_used -= m_items.back().cost;
    m_index.erase(m_items.back().key);
    m_items.pop_back();
  }
  return shared;
}

} // namespace analyser::trace
