// Queries on packed slices of tracks: cells to draw in a range at a resolution, the slice at a point, exact sums. Used for
// execution (cycles, category = reports::Activity) and host (nanoseconds, category = channel). The cost of `cells` depends on the
// pixels: coarse views come from the stored pyramid, fine ones from the few chunks in range.
#pragma once

#include "analyser/session/session.h"
#include "reports/core/range.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace analyser::trace {

using reports::TickRange;
using reports::TrackId;

struct Track {
  TrackId id;
  std::string kind, name, tickUnit, provenance;
  std::optional<IpuId> ipu;
  int depths = 0;
  int64_t slices = 0;
  TickRange range;
  int64_t shift = 0; // ticks that every result adds to the stored times

  bool isIo() const { return kind == "ipu_io"; } // the track of the I/O tiles of its IPU
};

struct Slice {
  TickRange ticks;
  StringId name;
  uint8_t category = 0;
  int depth = 0;
  int64_t ref = -1;    // step_profile id for steps, debug_context id for scopes, details id of host slices, -1 for none
  int64_t number = -1; // number in its track and depth, from 0; flows and links refer to it
  int64_t duration() const { return ticks.size(); }
};

// An item to draw: either one slice (`exact`, with its true bounds) or the summary of all slices in `ticks`.
struct Cell {
  TickRange ticks;
  bool exact = false;
  uint8_t category = 0; // the category with most busy ticks
  int64_t slices = 0;   // number of slices that start in it; 0 if a slice only continues
  int64_t busy = 0;     // ticks covered by slices, at most ticks.size()
  int64_t widest = 0;   // duration of the longest slice that touches it
  StringId name;        // name of the slice; of the longest slice if there are several
  int64_t ref = -1;     // set if `exact`
  double density() const { return ticks.empty() ? 0 : double(busy) / double(ticks.size()); }
};

struct Cells {
  TrackId track;
  int depth = 0;
  TickRange range;
  bool fromPyramid = false; // each cell is then one or more whole buckets of a power-of-two width
  std::vector<Cell> cells;  // ascending, disjoint; empty time has no cell; the first and last may reach outside `range`.
                            // A slice without duration is a cell without duration: draw it a pixel wide.
};

struct CategoryTicks {
  std::array<int64_t, 256> ticks{};
  int64_t total() const;
};

class SliceStore;

// Caches decoded chunks and levels; like a Session, for one thread at a time. The Session must outlive it.
class Slices {
public:
  // For at most this many slices in a range, reading them costs less than a frame and shows more than a pyramid.
  static constexpr int64_t kExactSlices = 8 * 16384;

  // `trackKind` is "ipu" (including tracks of I/O tiles) or "host_thread".
  Slices(Session& session, std::string trackKind, int64_t exactSlices = kExactSlices);
  ~Slices();

  const std::vector<Track>& tracks() const { return m_tracks; }
  const Track* track(TrackId id) const;
  Session& session() { return m_session; }
  TickRange range() const { return m_range; } // over all tracks
  // From now on every query and result adds this number of ticks to the track's times.
  void setShift(TrackId track, int64_t ticks);

  // At most about 2 x pixels cells. Every slice that overlaps the range is in a cell, even a very short one.
  Cells cells(TrackId track, int depth, TickRange range, int pixels, std::stop_token stop = {});
  // Exact slices that overlap the range, ascending; stops after `limit`.
  std::vector<Slice> slices(TrackId track, int depth, TickRange range, std::size_t limit, std::stop_token stop = {});
  std::optional<Slice> sliceAt(TrackId track, int depth, int64_t tick);
  // The deepest slice at a tick.
  std::optional<Slice> deepestAt(TrackId track, int64_t tick);
  // Neighbours for keyboard navigation: the slice that starts next after / ends last before the tick at this depth.
  std::optional<Slice> next(TrackId track, int depth, int64_t tick);
  std::optional<Slice> previous(TrackId track, int depth, int64_t tick);

  // An upper bound, from whole chunks of 16,384.
  int64_t countIn(TrackId track, int depth, TickRange range);
  // Samples a range that has more slices than can be read at once, for a sketch: cuts it into at most `pieces` equal pieces and
  // reads a few slices of each. Each slice of a piece stands for `weight` slices.
  struct Piece {
    TickRange ticks; // extends beyond the range if a chunk does
    double weight = 1;
    std::vector<Slice> slices;
  };
  void forEachPiece(TrackId track, int depth, TickRange range, std::size_t pieces, std::stop_token stop,
                    const std::function<void(const Piece&)>& f);

  // Ticks by category within the range, exact: interior from the pyramid, edges from slices.
  CategoryTicks busyTicks(TrackId track, int depth, TickRange range, std::stop_token stop = {});
  // Calls f(const Slice&) for every slice that overlaps the range, ascending.
  template<class F> void forEach(TrackId track, int depth, TickRange range, std::stop_token stop, F&& f);

private:
  using Visitor = bool (*)(void* context, const Slice& slice); // false ends the visit
  void visit(TrackId track, int depth, TickRange range, std::stop_token stop, Visitor f, void* context);
  int64_t shiftOf(TrackId track) const;
  void measure();

  Session& m_session;
  int64_t m_exactSlices;
  std::vector<Track> m_tracks;
  std::unordered_map<uint32_t, std::size_t> m_places; // in m_tracks, by id
  TickRange m_range{};
  std::unique_ptr<SliceStore> m_store;
};

template<class F> void Slices::forEach(TrackId track, int depth, TickRange range, std::stop_token stop, F&& f) {
  visit(
      track, depth, range, std::move(stop),
      [](void* context, const Slice& s) {
        (*static_cast<std::remove_reference_t<F>*>(context))(s);
        return true;
      },
      &f);
}

// Count and duration of slices by name; for search results and statistics tables. Only ticks inside the range count.
struct NameStatistics {
  StringId name;
  std::string text;
  uint8_t category = 0;
  int64_t count = 0;        // slices that touch the range
  int64_t cut = 0;          // part of `count`: slices that an end of the range cuts; only their part inside it counts
  int64_t min = 0, max = 0; // ticks of the shortest and the longest slice entirely inside the range; 0 without one
  int64_t wholeSum = 0;     // ticks of all slices entirely inside the range
  int64_t total = 0;        // ticks that slices of the name cover; nested slices of the same name count once
  int64_t sum = 0;          // ticks of all slices, nested ones of the same name included
  int64_t self = 0;         // part of the total that inner slices do not cover
  int64_t whole() const { return count - cut; }
  double mean() const { return whole() ? double(wholeSum) / double(whole()) : 0; } // of slices entirely inside the range
  TrackId firstTrack;
  int firstDepth = 0;
  TickRange first; // the earliest occurrence
};
// Executions per slice.
using SliceCount = std::function<int64_t(const Slice&)>;
// Converts the ticks of a part of a slice to an amount, such as the events of its samples.
using Weigh = std::function<int64_t(TrackId track, TickRange ticks)>;
// Over slices that touch the range, on the given tracks (all if empty), at all depths; largest total first. `byCategory`: one
// name in two categories is two entries. `countOf`: null counts each slice once. With `weigh`, figures are weights instead of ticks.
std::vector<NameStatistics> statisticsByName(Slices& slices, const std::vector<TrackId>& tracks, TickRange range,
                                             const std::string& contains = {}, std::stop_token stop = {}, bool byCategory = false,
                                             const SliceCount& countOf = {}, const Weigh& weigh = {});

} // namespace analyser::trace
