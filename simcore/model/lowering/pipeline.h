// Pipelines: stage s works on micro-batch m in cycle s + m, so that all IPUs are busy once the pipeline is full. A cycle is the
// host's values in, all stages, results out, then one exchange that hands every stage's results to the next; nothing in it but
// that exchange brings IPUs together, which is what lets stages overlap. Stages are functions: filling, main loop and flushing
// share their code. P stages and G micro-batches take G + P - 1 cycles.
#pragma once

#include "simcore/model/lowering/lowering.h"
#include "simcore/ops/collective/inter_ipu.h"

#include <algorithm>

namespace simcore::model {

struct PipelineStage {
  std::string name;
  graph::Sequence toDevice, main, toHost;
  // Between the host and the I/O tiles, where there are any: before toDevice brings it to the other tiles, behind toHost.
  graph::Sequence load, store;
};

// `exchange` runs at the end of every cycle. Throws Error(InvalidInput) for fewer micro-batches than stages.
graph::Program pipelineProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const graph::Sequence& exchange,
                               std::int64_t microBatches);

// The same with transfers beside the work (PopART's OverlapInnerLoop): while a stage works on a micro-batch, the I/O tiles load
// its next one and store the results of the one before. Of G loads all but the first, of G stores all but the last are beside
// work. One stage that is not named after its IPU may stand for a whole model: a loop of micro-batches.
graph::Program overlappedProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const graph::Sequence& exchange,
                                 std::int64_t microBatches);

// A whole model that does `batches` one after the other: overlapped if that is wanted and there are I/O tiles, else a plain loop.
graph::Program batchLoop(graph::Graph& graph, const PipelineStage& batch, std::int64_t batches, OverlapIo overlap,
                         const std::string& name, reports::DebugContextId context);

// Two loops, of `batches` and of the micro-batches of each, `start` before and `end` behind those of a batch: transfers run beside
// all of it (PopART's OverlapLoops). At least two of both.
graph::Program overlappedLoops(graph::Graph& graph, const PipelineStage& microBatch, std::int64_t microBatches,
                               std::int64_t batches, const graph::Sequence& start, const graph::Sequence& end);

// An inference model as a pipeline: options.stageOfNode gives the stages, or options.ipuOfNode, and must not fall. Every run takes
// `microBatches` values from each input stream and gives as many to each output stream. A value that a later stage than the next one
// reads goes there in steps of one stage, so that it arrives with its micro-batch, or waits in a stash if that is on the same IPU.
graph::Workload lowerPipeline(const Model& model, const arch::Machine& machine, const LoweringOptions& options,
                              std::int64_t microBatches);

// Where the values of a pipeline are in each of its stages. In training a model cut into P parts has 2 P - 1 stages: forward through part
// 0 to P - 1, then backward down to part 0; the last part does both in one. In inference it has P. A part has an IPU, which may run several parts, but
// not two neighbours. A micro-batch is a cycle later in every stage, so a value that is
// read in a later stage either waits on its IPU in a stash, a ring of (later - earlier + 1) entries, or goes from neighbour to
// neighbour, one each cycle, with the exchange at the end of the cycle (programming-model 3.4).
class StageRoutes {
public:
  // `startOf` gives the program that a stage begins with.
  using ProgramOfStage = std::function<graph::Sequence&(int stage)>;
  StageRoutes(graph::Graph& graph, reports::DebugContextId context, std::vector<int> ipuOfPart, ProgramOfStage startOf,
              bool goesBack = true);

  // Stashes are remote buffers, one row an entry.
  void stashRemotely() { m_remote = true; }
  int stages() const { return m_goesBack ? 2 * parts() - 1 : parts(); }
  // The backward stage of a forward stage's part, and the other way round; the last part's is itself. In training alone.
  int mirrorOf(int stage) const { return stages() - 1 - stage; }
  int partOf(int stage) const { return m_goesBack ? std::min(stage, mirrorOf(stage)) : stage; }
  int ipuOf(int stage) const { return m_ipuOfPart[std::size_t(partOf(stage))]; }

  // Nodes lowered from now on belong to this stage; values it makes are stashed by steps appended to `made`, or at the
  // stage's start if that is null (inputs).
  void enter(int stage, graph::Sequence* made);
  int stage() const { return m_stage; }

  // A value came to be in the current stage. `call` tells apart what calls of one function leave in the same variables.
  void made(const std::string& name, const graph::Tensor& value, int call = 0);
  bool knows(const std::string& name) const { return m_values.count(name) != 0; }
  int stageOf(const std::string& name) const { return m_values.at(name).stage; }
  const graph::Tensor& original(const std::string& name) const { return m_values.at(name).tensor; }
  // The value in the current stage; what restores it goes to `program`.
  graph::Tensor here(const std::string& name, graph::Sequence& program);
  // The same if the stage has it already, else not valid.
  graph::Tensor known(const std::string& name) const;

  // Values that the exchange at the end of a cycle moves.
  const std::vector<ops::IpuCopy>& crossings() const { return m_crossings; }
  // Appends to each stage that has a stash the step that turns its ring by one; once, at the end.
  void finish(const ProgramOfStage& endOf);

private:
  struct Value {
    graph::Tensor tensor;
    int stage = 0, call = 0;
    graph::Sequence* made = nullptr; // null: not made by a node of the stage (an input)
  };
  using Copies = std::map<int, graph::Tensor>; // by stage
  struct Arrival {
    int stage = 0;
    graph::Sequence* made = nullptr;
  };
  graph::Tensor copyIn(Copies& copies, const std::string& name, int stage, const Arrival& arrival, graph::Sequence& program);
  graph::Tensor stashed(const graph::Tensor& value, const std::string& name, int from, int to, graph::Sequence& made,
                        graph::Sequence& program);
  graph::Tensor stashedRemotely(const graph::Tensor& value, const std::string& name, int from, int to, graph::Sequence& made,
                                graph::Sequence& program);
  graph::Tensor crossed(const graph::Tensor& value, const std::string& name, int stage);
  // The counter of a stage's rings that have so many entries.
  graph::Tensor counter(int stage, std::int64_t entries);
  int parts() const { return int(m_ipuOfPart.size()); }

  graph::Graph& m_graph;
  reports::DebugContextId m_context;
  std::vector<int> m_ipuOfPart;
  ProgramOfStage m_startOf;
  int m_stage = 0, m_stashes = 0;
  bool m_remote = false, m_goesBack;
  graph::Sequence* m_made = nullptr;
  std::map<std::string, Value> m_values;
  std::map<std::pair<uint32_t, int>, Copies> m_copies;              // of whole variables, by call
  std::map<std::string, Copies> m_copiesOfViews;                    // of values that are too many parts of variables
  std::map<std::pair<std::string, int>, graph::Tensor> m_views;     // other values that are parts of variables, by stage
  std::map<std::pair<int, std::int64_t>, graph::Tensor> m_counters; // by stage and entries of a ring
  std::vector<ops::IpuCopy> m_crossings;
};

} // namespace simcore::model
