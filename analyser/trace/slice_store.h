// Chunks and pyramid levels of tracks, decoded at first use and cached up to the memory limit, for all sessions of a report
// together. The directory of each lane (track, depth) lists its contents and is read without the BLOBs.
#pragma once

#include "analyser/session/session.h"
#include "reports/rows/slice_decode.h"

#include <list>
#include <mutex>
#include <unordered_map>

namespace analyser::trace {

// Decoded chunks and levels. Several threads use it at the same time; two that miss the same item both decode it.
class SliceCache {
public:
  // A least-recently-used cache with a budget of elements.
  template<class T> class Part {
  public:
    explicit Part(std::size_t budget) : m_budget(budget) {}
    std::shared_ptr<const T> find(uint64_t key);
    std::shared_ptr<const T> insert(uint64_t key, T value, std::size_t cost);

  private:
    struct Item {
      uint64_t key;
      std::size_t cost;
      std::shared_ptr<const T> value;
    };
    std::mutex m_mutex;
    std::list<Item> m_items; // newest first
    std::unordered_map<uint64_t, typename std::list<Item>::iterator> m_index;
    std::size_t m_budget, m_used = 0;
  };
  Part<reports::SliceColumns> chunks{1u << 19}; // slices: 25 bytes each
  Part<reports::SliceLevel> levels{1u << 20};   // buckets: about 60 bytes each
};

class SliceStore {
public:
  struct ChunkEntry {
    int64_t chunk = 0, slices = 0;
    reports::TickRange ticks; // from its first start to its last end
  };
  struct LevelEntry {
    int64_t level = 0, buckets = 0;
    int shift = 0;
  };
  struct Lane {
    int64_t track = 0;
    int depth = 0;
    std::vector<ChunkEntry> chunks; // ascending in time
    std::vector<LevelEntry> levels; // finest first

    // Indices [first, last) of the chunks that may hold slices of the range.
    std::pair<std::size_t, std::size_t> chunksIn(reports::TickRange range) const;
    int64_t slicesIn(reports::TickRange range) const; // upper bound: whole chunks
  };

  explicit SliceStore(Session& session) : m_session(session), m_cache(session.common<SliceCache>()) {}
  const Lane& lane(reports::TrackId track, int depth);
  // Shared, so that a chunk in use stays valid after the store drops it. `keep` false: for one pass over many chunks, which must
  // not evict the chunks that are drawn.
  std::shared_ptr<const reports::SliceColumns> chunk(const Lane& lane, std::size_t index, bool keep = true);
  // The first slices of a chunk, for a sketch of many chunks; not cached.
  reports::SliceColumns head(const Lane& lane, std::size_t index, std::size_t most);
  std::shared_ptr<const reports::SliceLevel> level(const Lane& lane, std::size_t index);

private:
  static uint64_t key(const Lane& lane, int64_t number) {
    return uint64_t(lane.track) << 44 | uint64_t(lane.depth & 0xfff) << 32 |
           uint64_t(number & 0xffffffff); // depths are below 4096
  }

  reports::SliceChunkRow read(const Lane& lane, std::size_t index);

  Session& m_session;
  std::map<std::pair<int64_t, int>, Lane> m_lanes;
  std::shared_ptr<SliceCache> m_cache;
};

} // namespace analyser::trace
