// Live variables over time: the curve over program steps, the variables at a step, and lifetimes. Steps are liveness ordinals:
// leaf steps of the program in depth-first order, so loops count once.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/session/session.h"
#include "reports/core/range.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace analyser::liveness {

struct Curve {
  std::string scope; // all, ipu.0, tile.522
  std::string title; // "All IPUs", "IPU 0", "Tile 522 (fullest)"
  Bytes alwaysLive;
  Bytes peak; // largest not-always-live value
  int64_t peakStep = 0;
  Bytes capacity;                   // memory of the scope: the maximum line
  std::vector<Bytes> notAlwaysLive; // one value per step
};

struct Step {
  int64_t ordinal = 0;
  reports::ProgramStepId programStep;
  std::string kind, name;
  reports::Activity activity{};
};

struct Liveness {
  std::vector<std::string> scopes; // scopes in the report, "all" first
  Curve curve;
  std::vector<Step> steps;
  Sentence verdict;
};
// `scope` is "all" by default. For a report without liveness the curve is empty and the verdict says so.
Liveness liveness(Session& session, const std::string& scope = "all", std::stop_token stop = {});
// The IPU that decides whether the program fits: the IPU of the fullest tile. Nothing on a single IPU, or if the report has no
// curve of that IPU or no layout of that tile.
std::optional<IpuId> decidingIpu(Session& session);
std::string scopeOf(std::optional<IpuId> ipu); // "ipu.3", or "all"
// The scope that decides whether the program fits. If a tile overflows, the fullest tile, because all tiles together may still
// have unused memory; else the scope of decidingIpu().
std::string decidingScope(Session& session);
std::vector<Step> stepsOf(Session& session, std::stop_token stop = {});
std::vector<std::string> scopes(Session& session);
Curve curve(Session& session, const std::string& scope);

struct LiveVariable {
  reports::VariableId variable;
  std::string name, operation;
  reports::MemoryCategory category{};
  Bytes bytes;   // over all tiles
  Bytes maxTile; // on the tile that holds most of it
  int64_t tiles = 0;
  bool alwaysLive = false;
  // Its live interval around the requested step, half-open: first written at `begin`, last read at `end - 1`. Empty if always
  // live.
  reports::Range<int64_t> live;
};
struct LiveAtStep {
  int64_t step = 0;
  std::string name;
  Bytes alwaysLiveBytes, notAlwaysLiveBytes;           // sums of the tables below
  std::vector<LiveVariable> alwaysLive, notAlwaysLive; // largest first
};
// Reads every variable; LifeIndex does that once for many steps.
LiveAtStep liveAt(Session& session, int64_t step, std::stop_token stop = {});

// The bytes of every variable on the tiles of one scope. For the scope "all" (`isWhole`) the map is empty: the report's totals
// apply.
struct ScopeBytes {
  struct Share {
    Bytes bytes, maxTile;
    int64_t tiles = 0;
  };
  bool isWhole = true;
  std::unordered_map<uint32_t, Share> byVariable; // by VariableId; absent: no bytes in the scope

  // `total`: the variable's bytes over all tiles.
  Bytes of(reports::VariableId variable, Bytes total) const {
    if (isWhole) return total;
    const auto share = byVariable.find(variable.value());
    return share == byVariable.end() ? Bytes() : share->second.bytes;
  }
};
// The tiles of a scope; empty means all tiles.
std::vector<TileId> tilesOfScope(const Machine& machine, const std::string& scope);
// Reads the layout of every tile of the scope, so call it once, not for every step.
ScopeBytes scopeBytes(Session& session, const std::string& scope, std::stop_token stop = {});
// liveness() for a caller that already has `bytes` of the scope.
Liveness liveness(Session& session, const std::string& scope, const ScopeBytes& bytes, std::stop_token stop = {});
ScopeBytes bytesOnTiles(Session& session, std::span<const TileId> tiles, std::stop_token stop = {});
// The curve of any tiles, counted from their variables; `bytes` is bytesOnTiles() of the same tiles. Its scope is kTilesScope.
inline constexpr std::string_view kTilesScope = "tiles";
Curve curveOfTiles(Session& session, std::span<const TileId> tiles, const ScopeBytes& bytes, std::stop_token stop = {});
Liveness livenessOfTiles(Session& session, std::span<const TileId> tiles, const ScopeBytes& bytes, std::stop_token stop = {});
// As liveAt() above, but bytes, tiles and sums cover only the scope's tiles, and variables without bytes there are left out.
LiveAtStep liveAt(Session& session, int64_t step, const ScopeBytes& scope, std::stop_token stop = {});

struct StepDifference {
  LiveVariable variable;
  Bytes before, after; // zero if it is not live
  Bytes difference() const { return after - before; }
};
// Variables live at only one of two steps of one scope, largest first.
std::vector<StepDifference> difference(const LiveAtStep& before, const LiveAtStep& after);

struct Lifetime {
  LiveVariable variable;
  std::vector<reports::Range<int64_t>> intervals; // of steps, half-open, ascending
};
// The lifetimes of the `count` largest variables that are not always live; the window draws them as bars.
std::vector<Lifetime> lifetimes(Session& session, std::size_t count, std::stop_token stop = {});
// The variables with most bytes on the tiles of a scope.
std::vector<Lifetime> lifetimes(Session& session, std::size_t count, const ScopeBytes& scope, std::stop_token stop = {});

} // namespace analyser::liveness
