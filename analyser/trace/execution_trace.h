// The execution in a report, in cycles: one track per IPU, and one for its I/O tiles if it has any; steps and the named spans
// around them. Step costs (cycles by tile) are in profiles that executions share; a slice refers to its profile.
#pragma once

#include "analyser/session/debug_contexts.h"
#include "analyser/session/sentence.h"
#include "analyser/trace/slices.h"

#include <functional>
#include <span>
#include <unordered_map>

namespace analyser::trace {

struct ActivityShare {
  reports::Activity activity{};
  Cycles cycles;
  double fraction = 0; // of the range
};
struct Traffic {
  Bytes in, out;
};
struct IpuProportions {
  TrackId track;
  IpuId ipu;
  bool io = false;                   // true: its I/O tiles; false: the other tiles
  std::vector<ActivityShare> shares; // every activity but scope; the fractions sum to 1 (rest is idle)
  double tileUtilisation = 0;        // tile-cycles in compute and on-tile copies / (tiles x range)
  double computeBalance = 0;         // of compute steps: busy / (tiles x duration); 0 without compute
  // For the steps in the range (proportionally if cut): all bytes, and bytes by route.
  Bytes bytesIn, bytesOut;
  Traffic internal, global, host;
  Flops flops;
};
struct Proportions {
  TickRange range;
  std::vector<IpuProportions> ipus;
  Sentence verdict;
};

struct SliceDetails {
  Slice slice;
  TrackId track;
  bool isStep = false; // false: a scope, which has only name, ticks, debug, and the steps inside
  std::string name, kind, operation;
  reports::OperationId operationId; // invalid if the operation that ran the slice is unknown
  reports::Activity activity{};
  reports::ProgramStepId programStep;
  // If a step runs on several IPUs, tiles, bytes and FLOPs are those of the slice's track.
  Cycles cycles, busyCycles; // duration; sum over tiles
  int64_t executions = 0, activeTiles = 0;
  int64_t inSlice = 1;    // executions in the slice; cycles are the sum of all, other costs are for one
  double balance = 0;     // mean / slowest cycles of the active tiles, 0 to 1
  double utilisation = 0; // busy cycles / (cycles x tiles of the IPU), 0 to 1
  Bytes bytesIn, bytesOut;
  Flops flops;
  TileId firstTile;
  std::vector<Cycles> cyclesByTile; // from firstTile on
  std::vector<DebugLayer> debug;    // innermost first
  // For a scope: the shares of its track during the scope, and the steps inside by name, largest total first. Without names if
  // there are too many steps to count at once.
  std::optional<IpuProportions> inside;
  std::vector<NameStatistics> steps;
  bool isLarge = false; // the slices inside are too many to count at once; `steps` is empty then
};

// Rows are groups of tiles, columns are equal slices of the range; a cell is the activity with the largest share of its
// tile-cycles and the busy share of its tiles.
struct GridCell {
  reports::Activity activity = reports::Activity::Idle;
  float busy = 0; // 0 to 1
};
struct TileGrid {
  TickRange range;
  TileId firstTile;
  int tiles = 0, rows = 0, columns = 0; // row r holds tiles [firstTile + r*tiles/rows, firstTile + (r+1)*tiles/rows)
  std::vector<GridCell> cells;          // row-major
  bool isExact = true;                  // false: from a sample of the slices
};

// The cost of one slice with a row of step_profile, with its cycles as runs of tiles of equal cost. A slice of folded loop
// iterations stands for several executions; all costs are for one slice, so for all of them together.
struct Profile {
  struct Run {
    int64_t tiles = 0, cycles = 0;
  };
  reports::ProgramStepId programStep;
  std::optional<IpuId> ipu;
  int64_t perSlice = 1; // executions per slice
  int64_t cycles = 0, slices = 0, activeTiles = 0, busyCycles = 0, bytesIn = 0, bytesOut = 0, flops = 0;
  int64_t firstTile = 0, tiles = 0;
  std::vector<Run> runs;
};

// The tiles of a track: those of its IPU; if the IPU has I/O tiles, either without them or only them.
reports::Range<int64_t> tilesOf(const Track& track, const Machine& machine);
// Ids of the profiles of a program step, used by the slices of its executions. Ascending.
std::vector<int64_t> profilesOf(Session& session, reports::ProgramStepId step);
// By step profile: whether the path of its step ("fwd/layer3/matmul/Convolve") matches and the path of no scope around it does.
std::vector<bool> profilesOfSteps(Session& session, const std::function<bool(const std::string& path)>& isMeant,
                                  std::stop_token stop = {});

class ExecutionTrace {
public:
  explicit ExecutionTrace(Session& session);
  ~ExecutionTrace();

  Slices& slices() { return m_slices; }
  Session& session() const { return m_session; }
  const std::vector<Track>& tracks() const { return m_slices.tracks(); }
  TickRange range() const { return m_slices.range(); }
  Cells query(TrackId track, int depth, TickRange range, int pixels, std::stop_token stop = {}) {
    return m_slices.cells(track, depth, range, pixels, std::move(stop));
  }
  SliceDetails details(TrackId track, const Slice& slice, std::stop_token stop = {});
  // The proportions of all IPUs, or of one; the verdict is then about that IPU.
  Proportions proportions(TickRange range, std::stop_token stop = {}, std::optional<IpuId> ipu = {});
  // `firstTile`/`tiles` select the tiles (a zoom in y); rows and columns are pixels.
  TileGrid tileGrid(TickRange range, TileId firstTile, int tiles, int rows, int columns, std::stop_token stop = {}) {
    return tileGrid(range, firstTile, tiles, rows, columns, INT64_MAX, std::move(stop));
  }
  // tileGrid() in about a second for any number of slices: a lane with more than kSketched slices in the range is sampled.
  TileGrid tileSketch(TickRange range, TileId firstTile, int tiles, int rows, int columns, std::stop_token stop = {}) {
    return tileGrid(range, firstTile, tiles, rows, columns, kSketched, std::move(stop));
  }
  static constexpr int64_t kSketched = 2'000'000;
  // The grid of these tiles, in this order from the top.
  TileGrid gridOf(std::span<const TileId> tiles, TickRange range, int rows, int columns, bool sketch, std::stop_token stop = {});
  // Tiles of [first, first + tiles), the most idle in the range first. Tiles of one IPU stay together, and so do its I/O tiles.
  std::vector<TileId> tilesByIdle(TickRange range, TileId first, int tiles, bool sketch, std::stop_token stop = {});
  std::vector<NameStatistics> statistics(TickRange range, const std::string& contains = {}, std::stop_token stop = {},
                                         std::optional<IpuId> ipu = {}) {
    return statisticsByName(m_slices, tracksOf(ipu), range, contains, std::move(stop), true, executionsOfSlices());
  }
  // Tracks of an IPU, also of its I/O tiles; without an IPU: empty, which means all.
  std::vector<TrackId> tracksOf(std::optional<IpuId> ipu) const;

  // Bytes that the tiles of a track receive and send in a slice with this profile; for all tiles if `track` is invalid.
  Traffic trafficOf(const Profile& profile, TrackId track);
  // The cost of step executions with this profile; nullptr if the report has none. Valid during the life of the trace.
  const Profile* profile(int64_t id);
  // Profile ids are below this; a larger reference is damage and is ignored.
  int64_t profileCount() const { return m_profileCount; }

private:
  using Ticks = std::array<int64_t, reports::kActivityCount>;
  SliceCount executionsOfSlices();
  // By profile: its executions on a track over the whole report, if the profiles alone give them; nothing if slices must be read.
  std::optional<std::vector<int64_t>> executionsOf(const Track& track, const Ticks& busy, const std::stop_token& stop);
  reports::Activity activityOfStep(reports::ProgramStepId step);
  std::vector<int64_t> contextsAround(TrackId track, const Slice& slice);
  void readInside(SliceDetails& scope, const std::stop_token& stop);
  std::vector<Traffic> readTraffic(reports::ProgramStepId step);
  TileGrid tileGrid(TickRange range, TileId firstTile, int tiles, int rows, int columns, int64_t mostExact, std::stop_token stop,
                    std::span<const TileId> order = {});

  Session& m_session;
  Slices m_slices;
  int64_t m_profileCount = 0;
  // By program step: its traffic on each track. Only for steps on several IPUs.
  std::unordered_map<int64_t, std::vector<Traffic>> m_traffic;
  std::unordered_map<int64_t, reports::Activity> m_activities;                 // by program step; empty until first used
  std::unordered_map<int64_t, std::vector<std::optional<Profile>>> m_profiles; // by block of ids; blocks are never moved
};

} // namespace analyser::trace
