// The program as a tree: control programs, functions and their steps, with their costs over the run. Nodes are a flat list in
// depth-first order with parent indices, so that a model over it needs no pointers. `cycles` of an inner node are the sum of its
// children without calls (the function's own node holds its cycles); `inclusive` includes calls.
#pragma once

#include "analyser/session/debug_contexts.h"
#include "analyser/session/sentence.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::program {

struct Node {
  reports::ProgramStepId id;
  int parent = -1; // index in Program::nodes, -1 for a root
  int depth = 0;
  int firstChild = -1, children = 0, position = 0; // children are contiguous in `childIndex`
  std::string kind, name;                          // name: full slash path
  std::string label;                               // last part of the name
  std::string title; // the label; with equal labels of siblings the whole name, with equal names also the id ("#412")
  std::string layer; // of the model, see model_layers.h; empty: none
  reports::Activity activity = reports::Activity::Scope;
  Cycles cycles;          // over the run: cycles of an execution x executions
  Cycles inclusive;       // including called functions; control programs sum to `total`
  int64_t executions = 0; // of inner nodes: derived from the steps inside and around; 0 if unknown
  Bytes bytes;            // received over all executions (exchanges and stream copies); without calls, like `cycles`
  Flops flops;
  Bytes inclusiveBytes; // including called functions, like `inclusive`
  Flops inclusiveFlops;
  Bytes codeBytes; // control code, and the code of its exchange
  std::optional<int64_t> repeatCount, livenessStep;
  reports::ComputeSetId computeSet;
  reports::ExchangeId exchange;
  reports::ProgramStepId callee;
  reports::DebugContextId debugContext;
};

struct Program {
  std::vector<Node> nodes;
  std::vector<int> childIndex; // node indices; those of node n are [firstChild, firstChild + children)
  std::vector<int> roots;      // control programs first, then functions
  Cycles total;                // over all roots
  Sentence verdict;
  std::vector<std::string> issues; // cycles in the tree, missing parents: reported, not skipped

  std::span<const int> childrenOf(int node) const;
  int indexOf(reports::ProgramStepId id) const;             // -1 if there is none
  std::vector<std::pair<reports::ProgramStepId, int>> byId; // sorted, for indexOf
};
Program programTree(Session& session, std::stop_token stop = {});

// Reads the program tree when it is first needed, and keeps it for further uses.
class ProgramOnce {
public:
  ProgramOnce(Session& session, std::stop_token stop) : m_session(session), m_stop(std::move(stop)) {}
  Program& get() {
    if (!m_program) m_program = programTree(m_session, m_stop);
    return *m_program;
  }

private:
  Session& m_session;
  std::stop_token m_stop;
  std::optional<Program> m_program;
};

// A control program or function, for a list of them.
struct Root {
  int node = 0;
  int64_t steps = 0, calls = 0; // steps: itself and those inside; calls: steps that call it
  int firstCall = -1;           // node of the first call; -1: none
};
std::vector<Root> rootsOf(const Program& program);

// Indices of nodes whose name or kind contains the text (case-insensitive), in tree order.
std::vector<int> search(const Program& program, const std::string& text);

struct StepVertices {
  std::string type, kind;
  std::string source;     // as VertexUse::source
  std::string cyclesFrom; // "formula", "given by the program", "estimated from code"; empty: unknown
  int64_t vertices = 0, tiles = 0;
  std::vector<int64_t> verticesByTile; // all tiles
  Cycles cycles;                       // of one execution, summed over tiles
  Flops flops;
  Bytes stateBytes;
};
struct StepDetails {
  reports::ProgramStepId id;
  std::string kind, name, operation;
  reports::Activity activity{};
  // The cost of one execution, from the step's first profile with executions.
  Cycles cycles, busyCycles;      // duration; sum over tiles
  Cycles leastCycles, mostCycles; // of all executions on its IPU; they differ if time depends on data
  int64_t executions = 0;         // over all profiles
  int64_t activeTiles = 0;
  double balance = 0; // mean of active tiles' cycles / slowest
  Bytes bytesIn, bytesOut;
  Flops flops;
  TileId firstTile;
  std::vector<Cycles> cyclesByTile; // from firstTile on
  // OnTileExecute and OnTileCopy
  std::string computeSet;
  std::vector<StepVertices> vertices;
  // exchanges and stream copies
  std::string exchange, exchangeKind, stream;
  int64_t messages = 0;
  std::vector<Bytes> bytesInByTile, bytesOutByTile; // all tiles
  Bytes codeBytes, exchangeCodeBytes;
  std::optional<int64_t> livenessStep; // liveness::liveAt gives its variables
  std::vector<DebugLayer> debug;       // innermost first
  std::vector<int64_t> reads, writes;  // variable.id, ascending; empty in reports of schema versions before 3
  bool knowsUses = false;              // whether the report has the variables that steps read and write
};
StepDetails stepDetails(Session& session, reports::ProgramStepId step, std::stop_token stop = {});
// The details for these tiles only: vertices, tiles, cycles and bytes of one execution. A tile's share of cycles, FLOPs and state
// is its share of the vertices, because all vertices of one type and step count equally.
StepDetails partOnTiles(StepDetails details, std::span<const TileId> tiles);

} // namespace analyser::program
