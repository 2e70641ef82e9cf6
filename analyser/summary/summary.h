// The first page of a report: whether it fits, how long it takes, and the uses of bytes and cycles. Cycles are those of the
// critical IPU as the engine counted them per run; their parts sum to the total.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/session/session.h"
#include "analyser/trace/tile_cycles.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::summary {

struct CycleTotals {
  Cycles total, compute, exchange, sync, host, idle;
  Cycles hiddenHost; // transfers of I/O tiles, not part of the total
  Cycles parts() const { return compute + exchange + sync + host + idle; }
};

struct GraphCounts {
  int64_t vertices = 0, edges = 0, variables = 0, computeSets = 0, vertexTypes = 0, exchanges = 0, programSteps = 0,
          operations = 0;
  bool knowsEdges = true, knowsVariables = true; // false: an imported profile lacks them, and they are 0
};

struct CategoryBytes {
  reports::MemoryCategory category{};
  Bytes bytes;    // over all tiles
  Bytes maxBytes; // on the tile that holds most of it
  TileId maxTile;
};

struct TileBytes {
  TileId tile;
  Bytes bytes;         // excluding gaps
  Bytes withGaps;      // highest used address
  Bytes overflow;      // beyond the tile's memory
  double fraction = 0; // withGaps / the tile's memory; above 1 if it does not fit
};

struct HistogramBin {
  Bytes begin, end; // half-open
  int64_t tiles = 0;
};

struct MemoryTotals {
  Bytes total, totalWithGaps, available; // over all tiles
  Bytes nonInterleaved, interleaved, overflow;
  Bytes alwaysLive;         // over all tiles
  Bytes peakNotAlwaysLive;  // of the liveness curve over all tiles
  int64_t peakStep = -1;    // its liveness ordinal; -1 without a curve
  bool hasLiveness = false; // alwaysLive is known; peakNotAlwaysLive too if peakStep >= 0
  TileBytes fullest;        // by bytes with gaps
  TileBytes fullestWithoutGaps;
  int64_t overflowTiles = 0;             // tiles that need more memory than they have
  double median = 0;                     // bytes of the median tile, excluding gaps
  std::vector<CategoryBytes> byCategory; // all categories with bytes, in the order of the enum; sums to `total`
  std::vector<TileBytes> fullestTiles;   // at most 5, descending by bytes without gaps
  std::vector<HistogramBin> histogram;   // of bytes excluding gaps
};

struct Run {
  int64_t id = 0;
  std::string name;
  Cycles start;
  CycleTotals cycles;
  Flops flops;
  int64_t foldedIterations = 0;
  std::string provenance;
};

struct VertexTypeCycles {
  std::string name, kind;
  int64_t instances = 0;
  Cycles cycles; // over all executions of its compute sets, summed over tiles
  Bytes codeBytes, stateBytes;
};

// Averages over tiles, as in Poplar's text.
struct TileAverages {
  Cycles computeWithIdleThreads, computeWithoutIdleThreads, exchange, globalExchange, hostExchange, sync;
};

struct EngineOption {
  std::string key, value;
  bool isDefault = false;
};

struct Plan {
  int64_t id = 0;
  std::string operation, method, text, detailsJson;
  Cycles predicted;
  Bytes temporary;
  reports::OperationId operationId = {}; // invalid if no operation requested the plan
};

struct PeakUse {
  std::string name;                     // key in JSON: "flops", "exchange", "host", …
  std::string title;                    // "Exchange"
  std::string unit;                     // "FLOP/s" or "B/s"
  double peak = 0;                      // per second, of all IPUs of the report; for links, from one IPU to a neighbour
  std::optional<double> share;          // used by all runs over their whole time; none if the report lacks the bytes
  std::optional<double> shareWhileBusy; // used over the time of the steps of its kind; none without such steps
  bool isPerIpu = false;                // the figure is for one IPU, not for all IPUs
};

struct Issue {
  std::string severity, place, message, advice;
  int64_t count = 0;
};

struct Summary {
  ReportIdentity identity;
  Machine machine;
  bool outOfMemory = false;
  bool fits() const { return !outOfMemory; }
  Sentence verdict;        // one line: whether the program fits, and its main problem
  std::string timeVerdict; // one line: the duration of the run, and the activities that take most cycles
  GraphCounts graph;
  CycleTotals cycles;           // over all runs
  trace::TileCycles tileCycles; // of all runs
  double seconds = 0;
  Flops flops;
  double flopsPerSecond = 0;
  double peakFlopsPerSecond = 0; // of the machine at the report's precision
  double peakFraction = 0;
  std::string precision; // fp8, fp16 or fp32; empty if unknown
  MemoryTotals memory;
  std::vector<Run> runs;
  TileAverages tileAverages;
  std::vector<VertexTypeCycles> vertexTypes; // descending by cycles
  std::vector<EngineOption> options;
  std::vector<Plan> plans;
  std::vector<Issue> issues;
  std::vector<PeakUse> peaks;                                // see peaks.h
  int64_t valuesNotFinite = 0;                               // number in the outputs: NaN or infinite
  std::vector<std::pair<std::string, std::string>> metadata; // provenance: every key of the report
};

Summary summarise(Session& session, std::stop_token stop = {});

// Why the report lacks the figure of this key (those of `summary --json`, levels joined by dots), e.g. "the report holds no run";
// empty if it has it. A missing figure is 0 in the Summary.
std::string missingFigure(const Summary& summary, std::string_view key);
// The wasted tile-cycles in words, see trace::wasteSentence(); empty if the report lacks them.
Sentence wasteVerdict(const Summary& summary);

struct ProfileTextOptions {
  bool showExecutionSteps = false;
  bool showVarStorage = false;
};
// The text of Poplar's Engine::printProfileSummary with the same headings.
std::string profileSummaryText(Session& session, const Summary& summary, const ProfileTextOptions& options = {},
                               std::stop_token stop = {});

} // namespace analyser::summary
