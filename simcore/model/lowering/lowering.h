// Lowers a typed model to the machine: every node becomes library ops (time, memory, exchange) in a debug context with the node's name and
// operator, and one host kernel that computes the node's numbers. They are separate: every plan gives the numbers of evaluate().
#pragma once

#include "simcore/graph/memory_shares.h"
#include "simcore/graph/workload.h"
#include "simcore/model/graph/graph.h"

namespace simcore::model {

// The work that overlaps with the host's transfers on a machine with I/O tiles (PopART's ExchangeStrategy): none (JustInTime), the
// innermost loop (OverlapInnerLoop), all loops (OverlapLoops).
enum class OverlapIo { Off, InnerLoop, Loops };

struct LoweringOptions {
  // Half: every float value and weight is stored as fp16 on the machine.
  numerics::ElementType precision = numerics::ElementType::Float;
  // The IPU of each node of the model; empty: all on the first. A value read on another IPU is copied to it.
  std::vector<int> ipuOfNode = {};
  // The stage of each node in a pipeline, not descending; empty: stage s runs alone on IPU s.
  std::vector<int> stageOfNode = {};
  double availableMemoryProportion = 0.6;                       // share of a tile's memory for temporary data of an op
  std::shared_ptr<const graph::MemoryShares> memoryShares = {}; // for single operations; null: none
  bool halfPartials = false;       // partial sums of half products and convolutions are half, not float
  bool outline = false;            // repeated layers become functions (outline.h)
  std::int64_t batchesPerStep = 1; // inputs that one run of the program processes in sequence (inference)
  OverlapIo overlapIo = OverlapIo::InnerLoop;
};

// The handles of the output streams, in order: the names of the outputs, but "NAME (output N)" for the Nth output, counted from
// 1, if an input or an earlier output has that name (a model may return its input).
std::vector<std::string> outputStreams(const Graph& graph);

// Needs resolveTypes() first. The workload has one program "inference", an input stream per model input with its name, and an
// output stream per model output with a name from outputStreams(); the caller fills Workload::inputs. Throws reports::Error with
// file and node as the location. With several batches per step the program is a loop over batches.
graph::Workload lower(const Model& model, const arch::Machine& machine, const LoweringOptions& options = {});

// Lowers an inference model as a pipeline. options.stageOfNode gives the stages, or else options.ipuOfNode, which must not descend. Every
// run takes `microBatches` values from each input stream and gives as many to each output stream. A value read by a stage beyond the next
// one moves there stage by stage, so that it arrives with its micro-batch; if that stage is on the same IPU, it waits in a stash instead.
graph::Workload lowerPipeline(const Model& model, const arch::Machine& machine, const LoweringOptions& options,
                              std::int64_t microBatches);

} // namespace simcore::model
