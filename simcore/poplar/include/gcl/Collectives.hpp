// Collectives over the replicas of a program, or over parts of a tensor on several IPUs of one replica (WithinReplica).
#pragma once

#include "gcl/CollectiveOperator.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <ostream>
#include <vector>

namespace gcl {

enum class CommGroupType {
  ALL,         // all replicas
  CONSECUTIVE, // replicas in groups of neighbours
  ORTHOGONAL   // replicas in groups with equal distances
};
// The replicas that take part together. Stride 0: 1 for CONSECUTIVE, replicas / size for ORTHOGONAL. Calls throw poplibs_error if
// size x stride does not divide the replicas of the graph.
struct CommGroup {
  CommGroup() = default;
  CommGroup(CommGroupType groupType, unsigned groupSize, unsigned replicaGroupStride = 0)
      : type(groupType), size(groupSize), stride(replicaGroupStride) {}
  CommGroupType type = CommGroupType::ALL;
  unsigned size = 0;   // replicas of a group; 0: all
  unsigned stride = 0; // distance between neighbouring replicas of a group
};
std::ostream& operator<<(std::ostream& out, const CommGroup& group);

// Combines the values of all replicas. Every replica gets the result.
poplar::Tensor allReduceCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, CollectiveOperator op,
                                     poplar::program::Sequence& prog, const CommGroup& group,
                                     const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor allReduceCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, CollectiveOperator op,
                                     poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {});
std::vector<poplar::Tensor> allReduceCrossReplica(poplar::Graph& graph, const std::vector<poplar::Tensor>& datas,
                                                  CollectiveOperator op, poplar::program::Sequence& prog, const CommGroup& group,
                                                  const poplar::DebugContext& debugContext = {},
                                                  const poplar::OptionFlags& options = {});
std::vector<poplar::Tensor> allReduceCrossReplica(poplar::Graph& graph, const std::vector<poplar::Tensor>& datas,
                                                  CollectiveOperator op, poplar::program::Sequence& prog,
                                                  const poplar::DebugContext& debugContext = {},
                                                  const poplar::OptionFlags& options = {});
void allReduceToDestinationCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, poplar::Tensor& destination,
                                        CollectiveOperator op, poplar::program::Sequence& prog, const CommGroup& group,
                                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void allReduceInPlaceCrossReplica(poplar::Graph& graph, poplar::Tensor& data, CollectiveOperator op,
                                  poplar::program::Sequence& prog, const CommGroup& group,
                                  const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void allReduceInPlaceCrossReplica(poplar::Graph& graph, poplar::Tensor& data, CollectiveOperator op,
                                  poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
void allReduceInPlaceCrossReplica(poplar::Graph& graph, std::vector<poplar::Tensor>& datas, CollectiveOperator op,
                                  poplar::program::Sequence& prog, const CommGroup& group,
                                  const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

// data [n]: each replica gets its part of the combined values, ceil(n / replicas) elements. With the operator LOCAL it gets this
// part of its own values.
poplar::Tensor reduceScatterCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, CollectiveOperator op,
                                         poplar::program::Sequence& prog, const CommGroup& group,
                                         const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor reduceScatterCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, CollectiveOperator op,
                                         poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                         const poplar::OptionFlags& options = {});
std::vector<poplar::Tensor> reduceScatterCrossReplica(poplar::Graph& graph, const std::vector<poplar::Tensor>& datas,
                                                      CollectiveOperator op, poplar::program::Sequence& prog,
                                                      const CommGroup& group, const poplar::DebugContext& debugContext = {},
                                                      const poplar::OptionFlags& options = {});
void reduceScatterToDestinationCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, const poplar::Tensor& destination,
                                            CollectiveOperator op, poplar::program::Sequence& prog, const CommGroup& group,
                                            const poplar::DebugContext& debugContext = {},
                                            const poplar::OptionFlags& options = {});
// data [..] -> [replicas of a group, ..]
poplar::Tensor allGatherCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, poplar::program::Sequence& prog,
                                     const CommGroup& group, const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {});
poplar::Tensor allGatherCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, poplar::program::Sequence& prog,
                                     const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
std::vector<poplar::Tensor> allGatherCrossReplica(poplar::Graph& graph, const std::vector<poplar::Tensor>& datas,
                                                  poplar::program::Sequence& prog, const CommGroup& group,
                                                  const poplar::DebugContext& debugContext = {},
                                                  const poplar::OptionFlags& options = {});
void allGatherToDestinationCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, const poplar::Tensor& destination,
                                        poplar::program::Sequence& prog, const CommGroup& group,
                                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// data [replicas of a group, ..]: part i of replica r becomes part r of replica i.
poplar::Tensor allToAllCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, poplar::program::Sequence& prog,
                                    const CommGroup& group, const poplar::DebugContext& debugContext = {},
                                    const poplar::OptionFlags& options = {});
poplar::Tensor allToAllCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// Every replica of a group gets the value of replica `rootReplica`.
poplar::Tensor broadcastCrossReplica(poplar::Graph& graph, const poplar::Tensor& data, poplar::program::Sequence& prog,
                                     const CommGroup& group = {}, unsigned rootReplica = 0,
                                     const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

// A part of a tensor, on one IPU.
struct Chunk {
  Chunk() = default;
  Chunk(poplar::Tensor part, unsigned partIndex, unsigned partOffset) : tensor(part), index(partIndex), offset(partOffset) {}
  poplar::Tensor tensor;
  unsigned index = 0;  // position among the parts
  unsigned offset = 0; // position of its first element
};
struct Chunks {
  Chunks() = default;
  explicit Chunks(unsigned size) : chunks(size) {}
  poplar::Tensor originalInput;
  std::vector<Chunk> chunks;
};
// data [ipus, n]: each row is on one IPU. All-reduce gives each IPU the combined rows, reduce-scatter a part of them, all-gather all parts.
poplar::Tensor allReduceWithinReplica(poplar::Graph& graph, const poplar::Tensor& data, CollectiveOperator op,
                                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                      const poplar::OptionFlags& options = {});
Chunks reduceScatterWithinReplica(poplar::Graph& graph, const poplar::Tensor& data, CollectiveOperator op,
                                  poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
poplar::Tensor allGatherWithinReplica(poplar::Graph& graph, const Chunks& parts, poplar::program::Sequence& prog,
                                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

} // namespace gcl
