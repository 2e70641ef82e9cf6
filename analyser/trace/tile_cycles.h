// Tile-cycles: every tile of the machine in every cycle, split into busy ones and several kinds of waste. The parts of a value
// always sum to tiles x cycles, so a share of it is a share of the whole machine. A step uses the tiles of the IPUs it runs on
// (the compute tiles or the I/O tiles, if an IPU has both): a step on one IPU costs the others nothing.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/trace/execution_trace.h"

#include <array>
#include <optional>
#include <span>
#include <unordered_map>

namespace analyser::trace {

// In the order of display.
enum class TileTime {
  Busy,      // tiles that compute or copy
  Unused,    // tiles without work in a compute step
  Imbalance, // tiles that finished their part of a compute step and wait for the slowest
  Exchange,  // all tiles, during an exchange
  Sync,      // all tiles, during a sync
  Host,      // all tiles, while the host transfers or the IPU waits for it
  Idle,      // IPUs without a step: they wait for other IPUs
};
inline constexpr int kTileTimes = 7;
std::string_view tileTimeTitle(TileTime kind);   // "Unused tiles", for columns and legends
std::string_view tileTimeName(TileTime kind);    // "unused_tiles", for JSON
std::string_view tileTimeMeaning(TileTime kind); // "Tile-cycles of tiles without work in compute steps"

struct TileCycles {
  std::array<int64_t, kTileTimes> parts{}; // tile-cycles, by TileTime

  int64_t operator[](TileTime kind) const { return parts[static_cast<std::size_t>(kind)]; }
  int64_t& operator[](TileTime kind) { return parts[static_cast<std::size_t>(kind)]; }
  int64_t total() const;                                // tiles x cycles
  int64_t wasted() const { return total() - parts[0]; } // all but busy
  double share(TileTime kind) const;                    // share of the total; 0 if the total is 0
  TileTime largestWaste() const;                        // Busy if nothing is wasted
  TileCycles& operator+=(const TileCycles& other);
  TileCycles& operator-=(const TileCycles& other);
  TileCycles part(int64_t executions, int64_t of) const; // rounded down; 0 if `of` is 0
  TileCycles times(int64_t executions) const;
  bool operator==(const TileCycles&) const = default;
};

// A number of equal tiles, each busy for this number of cycles from the start of a step.
using BusyRun = Profile::Run;

// The part [from, to) of one execution of a step on `tiles` tiles; the runs may leave out idle tiles.
TileCycles tileCyclesOf(reports::Activity activity, std::span<const BusyRun> runs, int64_t tiles, reports::Range<int64_t> part);

// The cost of a step over the run.
struct StepTileCycles {
  TileCycles cost;
  int64_t tiles = 0;          // largest number of tiles that work at once, in steps that compute
  int64_t available = 0;      // tiles of the IPUs it runs on
  std::optional<int64_t> ipu; // the only IPU it runs on; none: several
  bool isOnSeveral = false;
  // IPU and cycles of all executions on it, for each IPU that takes part; without I/O tiles.
  std::vector<std::pair<int64_t, int64_t>> onIpus;
  Cycles cycles;          // of all executions, on the IPU with most
  Bytes received;         // by all executions
  Flops flops;            // of all executions
  int64_t executions = 0; // of all IPUs
};
// By program step; steps that never ran are left out.
using StepCosts = std::unordered_map<int64_t, StepTileCycles>;
StepCosts tileCyclesBySteps(Session& session, std::stop_token stop = {});

// Sums the steps of all runs; the rest of (tiles of the machine x cycles of the runs) is idle.
TileCycles tileCyclesOfRuns(Session& session, std::stop_token stop = {});

struct IpuTileCycles {
  TrackId track;
  IpuId ipu;
  bool io = false;
  int64_t tiles = 0;
  TileCycles cost; // sums to tiles x range
};
// Sums a range of the trace: one entry per track, for all tracks or `only` some. Time without a stored slice is idle.
std::vector<IpuTileCycles> tileCyclesOfRange(ExecutionTrace& trace, TickRange range, std::stop_token stop = {},
                                             const std::vector<TrackId>& only = {});

// "61.3 % of the tile-cycles are wasted: 40.2 % exchange, 12.0 % imbalance …" without a full stop; the three largest parts.
Sentence wasteSentence(const TileCycles& cost);

} // namespace analyser::trace
