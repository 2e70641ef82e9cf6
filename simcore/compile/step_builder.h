// Lowers one graph; private to this module. One class, implemented in several files: control (lower.cpp), data movement
// (lower_moves.cpp) and vertices (lower_execute.cpp).
#pragma once

#include "simcore/compile/exchange_traffic.h"
#include "simcore/compile/lower.h"
#include "simcore/compile/tile_sets.h"

#include <map>

namespace simcore::compile {

class StepBuilder {
public:
  StepBuilder(const graph::Graph& graph, LoweredProgram& out, const std::stop_token& stop)
      : m_graph(graph), m_out(out), m_stop(stop), m_sets(graph.machine()) {}
  void run(const std::vector<NamedProgram>& programs);

private:
  using ProgramNode = graph::ProgramNode;
  using Tensor = graph::Tensor;
  using Traffic = graph::Traffic;

  int root(StepKind kind, const std::string& name, const graph::Program& program);
  int begin(StepKind kind, std::string name, DebugContextId context);
  void end(int id) { m_parent = m_out.steps[std::size_t(id)].parent; }
  // Adds a leaf step with a position on the liveness axis.
  Step& leaf(StepKind kind, Activity activity, std::string name, DebugContextId context);
  std::string nameOf(DebugContextId context, const std::string& own) const;
  // The same time on every tile of these sets of tiles (tile_sets.h).
  PerTile cyclesOn(const std::vector<bool>& sets, Cycles duration) const;
  // Restricts a step's control code to the tiles of participating IPUs. Steps without time are on all tiles.
  void narrowToIpus(Step& s) const;

  void node(const ProgramNode& n);
  // A step in which every worker reads or writes a register.
  void registerStep(const ProgramNode& n, const std::string& name, graph::TileRange tiles, int workers);
  void children(const ProgramNode& n);
  void nested(StepKind kind, const ProgramNode& n, int64_t repeat);
  void hostStop(const ProgramNode& n);
  // Sends the predicate to every tile that must branch: over links to the other IPUs that run steps below the node, then to all
  // tiles of each IPU (ipu-reference 4). Returns false if only the tile with the predicate needs it.
  bool tellPredicate(const ProgramNode& n, const std::string& name);
  PerTile tilesBelow(const ProgramNode& n, std::vector<bool>& functions) const;

  void syncStep(DebugContextId context, bool external, const std::vector<bool>& sets, bool beyondReplica = false);
  // The values that an exchange moves: variables, and views if a copy determines the elements.
  struct Moved {
    std::vector<VariableId> reads, writes;
    std::vector<VariableId> partialWrites = {}; // as in Step
    Tensor source = {}, destination = {};
    bool planned = false;                        // as in Step
    std::vector<graph::VariableMove> moves = {}; // as in Step
  };
  // Returns the ordinal from which on the data moves: that of an earlier exchange if this one was merged into it.
  int64_t exchangeStep(const std::string& name, DebugContextId context, const Traffic& traffic, const Moved& moved);
  // The part of an exchange that uses links.
  void globalStep(const std::string& name, DebugContextId context, const Traffic& traffic, const Moved& moved);
  // The previous exchange, if neither it (with its copies) nor this one writes a variable that the other uses; else -1.
  int independentExchange(const Moved& moved) const;
  bool independent(int step, const Moved& moved) const;
  void joinExchange(int step, const std::string& name, const Traffic& traffic, const Moved& moved);
  void addExchange(Step& s, Exchange e, const Moved& moved);
  // On-tile copies by all six workers.
  struct Copies {
    PerTile cycles, runs; // runs: contiguous stretches, one descriptor each
  };
  void copyStep(const std::string& name, DebugContextId context, const Copies& copies, std::vector<VariableId> reads,
                std::vector<VariableId> writes);
  Copies copiesOf(const Pieces& pieces, numerics::ElementType type) const;
  // Adds a buffer for partial words that an exchange moves.
  void staging(std::string name, DebugContextId context, const PerTile& bytes, reports::Range<int64_t> live);
  void copy(const ProgramNode& n);
  void rearrange(const ProgramNode& n);
  void stream(const ProgramNode& n);
  void remote(const ProgramNode& n);
  // Begin, Mid and End of a transfer between a tensor and the host.
  void hostTransfer(const ProgramNode& n, const std::string& name, const Tensor& tensor, bool in, Cycles extra);
  struct HostMove {
    PerTile bytes;
    int64_t total = 0;              // bytes that use the link
    std::vector<PerTile> stretches; // contiguous memory ranges, as from stretchesOf()
    bool in = false;
    Cycles extra{0};
  };
  // Adds the four steps of a transfer: sync, Begin, Mid and End. Returns the index of Begin; Mid and End follow it.
  int hostSteps(const std::string& name, DebugContextId context, const HostMove& move);
  // Adds a function per IPU that sends its buffer of Blocks to the host.
  void blockFlushes();
  PerTile bytesOf(const Tensor& tensor) const; // on each tile
  // Parts of a tensor that are contiguous on a tile and in the host's buffer, one per variable. The host's buffer is sorted by
  // tile.
  std::vector<PerTile> stretchesOf(const Tensor& tensor) const;

  void execute(const ProgramNode& n);
  Step& computeStep(const ProgramNode& n, const graph::ComputeSet& set, const std::string& name, DebugContextId context);
  void requireConnected(const graph::ComputeSet& set) const;
  void buffer(const graph::ComputeSet& set, std::string name, DebugContextId context, PerTile bytes,
              reports::Range<int64_t> live);

  const graph::Graph& m_graph;
  LoweredProgram& m_out;
  const std::stop_token& m_stop;
  TileSets m_sets;
  int m_parent = -1;
  std::vector<int> m_functionSteps;
  std::map<int, std::vector<std::pair<Tensor, Tensor>>> m_copiesOf; // by exchange step: source and destination of its copies
};

// Sorted, without repetitions.
std::vector<VariableId> unique(std::vector<VariableId> v);
// The variables of which these regions, or this view, write only a part; sorted.
std::vector<VariableId> partlyWritten(const graph::Graph& graph, std::vector<graph::Region> regions);
std::vector<VariableId> partlyWritten(const graph::Graph& graph, const graph::Tensor& view);

} // namespace simcore::compile
