// Totals by operation (an ONNX node, a library call): cycles, FLOPs and bytes under the model's names.
#pragma once

#include "analyser/program/program_tree.h"
#include "analyser/session/sentence.h"
#include "analyser/session/session.h"
#include "analyser/trace/tile_cycles.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::operations {

struct Operation {
  reports::OperationId id;
  reports::DebugContextId debugContext;
  std::string name, kind, layer;
  Cycles compute, exchange, sync, host, total; // total: sum of the four
  Flops flops;
  int64_t vertices = 0;
  Bytes exchangeBytes, codeBytes, variableBytes;
  Bytes exchangeCodeBytes;                                   // part of codeBytes; the rest is control code
  Bytes memory() const { return variableBytes + codeBytes; } // over all tiles
  Bytes temporaryBytes;                                      // of its variables that are not always live, summed over tiles
  std::optional<double> balance;                             // mean / slowest compute cycles of the active tiles
  trace::TileCycles tileCycles; // on the tiles of its IPUs; unlike balance, includes tiles without work
  int64_t betweenIpus = 0;      // tile-cycles of exchange over the links between IPUs; part of the exchange in `tileCycles`
  int64_t tiles = 0;            // most tiles that one of its compute steps uses
  int64_t tilesAvailable = 0;   // tiles of the IPUs that run that step
  std::vector<int> ipus;        // IPUs that compute it, ascending; for pure data movement, IPUs that take part
  std::optional<std::size_t> firstAlike; // index of the first operation with steps of the same function; none if not shared
  reports::ProgramStepId costliestStep;  // costliest by the operation's share of each step; invalid if no step ran
  double share = 0;                      // of all operations' cycles
  double flopUtilisation = 0;            // flops / peak flops of its IPUs in its time, 0 to 1
  double exchangeable = 0;               // bytes that all tiles of its IPUs could receive in the cycles of its exchanges
  struct Way {
    double bytes = 0, possible = 0; // bytes moved; the most that the peak allows while they move; 0 if unknown
  };
  Way overLinks, withHost, withStreamingMemory;
};
// The operation's time in seconds, summed over its IPUs.
double ipuSeconds(const Machine& machine, const Operation& o);
// Whether it only moves data between IPUs.
bool isTransfer(const Operation& o);

struct Operations {
  std::vector<Operation> rows; // in program order
  Operation totals;            // sums; name "Total"
  Cycles runCycles;            // of all runs; more than the sum if some steps have no operation
  Cycles stepCycles;           // for a layer: of all steps of the program, also those outside the layer; else 0
  Sentence verdict;
};
Operations operations(Session& session, std::stop_token stop = {});
// operations() for a caller that already has the costs of the steps and the program.
Operations operations(Session& session, const trace::StepCosts& costs, std::stop_token stop = {});
Operations operations(Session& session, const trace::StepCosts& costs, program::ProgramOnce& program, std::stop_token stop = {});

enum class GroupBy { Kind, Layer };
struct Group {
  std::string name;
  int64_t operations = 0;
  Operation totals;
  std::vector<int> members; // ascending indices of Operations::rows
};
// "model/fwd/norm wastes most, 31 % of all waste, mainly unused tiles" (of tile-cycles); empty without waste.
Sentence wasteVerdict(const Operations& operations);
// Largest total first; the groups' totals sum to `operations.totals`.
std::vector<Group> group(const Operations& operations, GroupBy by);
// Operations that run steps of the same function, summed, under the name of the first: an improvement of one improves all.
struct Alike {
  std::vector<std::size_t> members; // indices of rows
  Operation totals;
  Sentence name() const; // "fwd/layer0/query and 23 alike"
};
std::vector<Alike> alike(const Operations& operations); // in the order of the first

// Indices of rows whose name or kind contains the text (case-insensitive).
std::vector<int> search(const Operations& operations, const std::string& text);

} // namespace analyser::operations
