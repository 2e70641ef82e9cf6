#include "gcl/Collectives.hpp"

#include "gcl/TileAllocation.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "poputil/TileMapping.hpp"
#include "simcore/ops/collective/collectives.h"
#include "simcore/ops/move/copies.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <array>
#include <istream>
#include <numeric>
#include <ostream>

namespace gcl {

using namespace simcore::poplar::names;

namespace {

constexpr std::array<const char*, 9> kOperators{"ADD",         "MEAN",       "MUL",        "MIN",  "MAX",
                                                "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOCAL"};

ops::CollectiveOp opOf(CollectiveOperator op) {
  switch (op) {
  case CollectiveOperator::ADD:
  case CollectiveOperator::SQUARE_ADD: return ops::CollectiveOp::Add;
  case CollectiveOperator::MEAN: return ops::CollectiveOp::Mean;
  case CollectiveOperator::MUL: return ops::CollectiveOp::Multiply;
  case CollectiveOperator::MIN: return ops::CollectiveOp::Minimum;
  case CollectiveOperator::MAX: return ops::CollectiveOp::Maximum;
  case CollectiveOperator::LOGICAL_AND: return ops::CollectiveOp::LogicalAnd;
  case CollectiveOperator::LOGICAL_OR: return ops::CollectiveOp::LogicalOr;
  case CollectiveOperator::LOCAL: break;
  }
  throw poputil::poplibs_error("gcl: a collective with the operator LOCAL is not simulated");
}

// Size and stride of the groups; size 0: all replicas.
struct Groups {
  std::int64_t size = 0, stride = 1;
  friend void fields(sp::Archive& a, Groups& g) { a(g.size, g.stride); }
  operator ops::ReplicaGroups() const { return {size, stride}; }
};
Groups groupsOf(const char* call, const Graph& graph, const CommGroup& group) {
  const unsigned replicas = graph.getReplicationFactor();
  if (group.type == CommGroupType::ALL || group.size == 0 || group.size == replicas) return {};
  const unsigned stride = group.stride > 0                          ? group.stride
                          : group.type == CommGroupType::ORTHOGONAL ? std::max(1U, replicas / group.size)
                                                                    : 1U;
  if (replicas % (std::uint64_t(group.size) * stride) != 0)
    throw poputil::poplibs_error(std::string(call) + ": " + std::to_string(replicas) + " replicas cannot be cut into groups of " +
                                 std::to_string(group.size) + " with a stride of " + std::to_string(stride));
  return {group.size, stride};
}
unsigned replicasOf(const Graph& graph, const Groups& groups) {
  return groups.size == 0 ? graph.getReplicationFactor() : unsigned(groups.size);
}

// The share of the replica's own values that reduceScatter would give it.
Tensor ownShare(Graph& graph, const Tensor& data, const Groups& groups, Sequence& prog, const DebugContext& context) {
  const unsigned members = replicasOf(graph, groups);
  const std::size_t share = (data.numElements() + members - 1) / members;
  const Tensor zeros = graph.addConstant(data.elementType(), {share * members - data.numElements()}, 0, {context, "zeros"});
  poputil::mapTensorLinearly(graph, zeros);
  const Tensor replica = graph.addReplicationIndexConstant({context, "replica"});
  graph.setTileMapping(replica, 0);
  namespace pe = popops::expr;
  const Tensor place =
      popops::map(graph, (pe::_1 / pe::Const(unsigned(groups.stride))) % pe::Const(members), {replica}, prog, context);
  const Tensor parts = zeros.numElements() ? poplar::concat(data, zeros) : data;
  return popops::dynamicSlice(graph, parts.reshape({members, share}), place.reshape({1}), {0}, {1}, prog, context).flatten();
}

Tensor squared(Graph& graph, const Tensor& data, CollectiveOperator op, Sequence& prog, const DebugContext& context) {
  return op == CollectiveOperator::SQUARE_ADD ? popops::square(graph, data, prog, context) : data;
}

std::vector<sg::Tensor> rowsOf(const char* call, const Tensor& data) {
  if (data.rank() != 2)
    throw poputil::poplibs_error(std::string(call) + ": " + data.getDebugStr() +
                                 " must have two dimensions, with one row per IPU");
  std::vector<sg::Tensor> rows;
  for (int64_t i = 0; i < int64_t(data.dim(0)); ++i) rows.push_back(sp::inner(data)[i]);
  return rows;
}

} // namespace

std::ostream& operator<<(std::ostream& out, const CollectiveOperator& op) { return out << kOperators[std::size_t(op)]; }
std::istream& operator>>(std::istream& in, CollectiveOperator& op) {
  std::string name;
  in >> name;
  for (std::size_t i = 0; i < kOperators.size(); ++i)
    if (name == kOperators[i]) {
      op = CollectiveOperator(i);
      return in;
    }
  throw poputil::poplibs_error("gcl: unknown operator " + name);
}
std::ostream& operator<<(std::ostream& out, const CommGroup& group) {
  const char* type = group.type == CommGroupType::ALL           ? "All"
                     : group.type == CommGroupType::CONSECUTIVE ? "Consecutive"
                                                                : "Orthogonal";
  return out << "CommGroup(type=" << type << ", size=" << group.size << ", stride=" << group.stride << ')';
}

unsigned getMinIoTiles(const Graph&) { return 32; }
std::vector<unsigned> perIPUTiles(const Graph& graph, unsigned offset, unsigned numTiles, bool ascending,
                                  bool interleavedPartition) {
  simcore::poplar::ignoreArgument(interleavedPartition, "gcl::perIPUTiles", "interleavedPartition");
  const unsigned all = graph.getTarget().getTilesPerIPU();
  if (offset + numTiles > all)
    throw poputil::poplibs_error("gcl::perIPUTiles: an IPU has " + std::to_string(all) + " tiles, too few for " +
                                 std::to_string(numTiles) + " tiles from tile " + std::to_string(offset) + " on");
  std::vector<unsigned> tiles(numTiles);
  if (ascending)
    std::iota(tiles.begin(), tiles.end(), offset);
  else
    std::iota(tiles.rbegin(), tiles.rend(), offset);
  return tiles;
}

void allReduceInPlaceCrossReplica(Graph& graph, Tensor& data, CollectiveOperator op, Sequence& prog, const CommGroup& group,
                                  const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("gcl::allReduceInPlaceCrossReplica", options);
  if (op == CollectiveOperator::LOCAL) return;
  if (op == CollectiveOperator::SQUARE_ADD) popops::squareInPlace(graph, data, prog, debugContext);
  const Groups groups = groupsOf("gcl::allReduceInPlaceCrossReplica", graph, group);
  const bool sums = op == CollectiveOperator::ADD || op == CollectiveOperator::SQUARE_ADD || op == CollectiveOperator::MEAN;
  if (groups.size > 0 && groups.stride == 1 && sums) {
    sp::library(
        graph, prog, debugContext, "allReduce",
        [](const ops::OpBuilder& b, const auto& data, const auto& size) { ops::sumOverNeighbours(b, sp::inner(data), size); },
        data, groups.size);
    if (op == CollectiveOperator::MEAN) popops::mulInPlace(graph, data, 1.0F / float(group.size), prog, debugContext);
    return;
  }
  sp::library(
      graph, prog, debugContext, "allReduce",
      [](const ops::OpBuilder& b, const auto& op, const auto& data, const auto& groups) {
        ops::allReduce(b, opOf(op), {sp::inner(data)}, groups);
      },
      op, data, groups);
}
void allReduceInPlaceCrossReplica(Graph& graph, Tensor& data, CollectiveOperator op, Sequence& prog,
                                  const DebugContext& debugContext, const OptionFlags& options) {
  allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
void allReduceInPlaceCrossReplica(Graph& graph, std::vector<Tensor>& datas, CollectiveOperator op, Sequence& prog,
                                  const CommGroup& group, const DebugContext& debugContext, const OptionFlags& options) {
  for (Tensor& data : datas) allReduceInPlaceCrossReplica(graph, data, op, prog, group, debugContext, options);
}
Tensor allReduceCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op, Sequence& prog, const CommGroup& group,
                             const DebugContext& debugContext, const OptionFlags& options) {
  Tensor copy = sp::library(
      graph, prog, debugContext, "allReduce",
      [](const ops::OpBuilder& b, const auto& data) { return ops::duplicate(b, sp::inner(data), "allReduce"); }, data);
  allReduceInPlaceCrossReplica(graph, copy, op, prog, group, debugContext, options);
  return copy;
}
Tensor allReduceCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op, Sequence& prog,
                             const DebugContext& debugContext, const OptionFlags& options) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
std::vector<Tensor> allReduceCrossReplica(Graph& graph, const std::vector<Tensor>& datas, CollectiveOperator op, Sequence& prog,
                                          const CommGroup& group, const DebugContext& debugContext, const OptionFlags& options) {
  std::vector<Tensor> results;
  for (const Tensor& data : datas) results.push_back(allReduceCrossReplica(graph, data, op, prog, group, debugContext, options));
  return results;
}
std::vector<Tensor> allReduceCrossReplica(Graph& graph, const std::vector<Tensor>& datas, CollectiveOperator op, Sequence& prog,
                                          const DebugContext& debugContext, const OptionFlags& options) {
  return allReduceCrossReplica(graph, datas, op, prog, CommGroup(), debugContext, options);
}
void allReduceToDestinationCrossReplica(Graph& graph, const Tensor& data, Tensor& destination, CollectiveOperator op,
                                        Sequence& prog, const CommGroup& group, const DebugContext& debugContext,
                                        const OptionFlags& options) {
  prog.add(poplar::program::Copy(data, destination, false, debugContext));
  allReduceInPlaceCrossReplica(graph, destination, op, prog, group, debugContext, options);
}

Tensor reduceScatterCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op, Sequence& prog, const CommGroup& group,
                                 const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("gcl::reduceScatterCrossReplica", options);
  const Groups groups = groupsOf("gcl::reduceScatterCrossReplica", graph, group);
  const Tensor values = squared(graph, data, op, prog, debugContext);
  if (op == CollectiveOperator::LOCAL) return ownShare(graph, values.flatten(), groups, prog, debugContext);
  return sp::library(
      graph, prog, debugContext, "reduceScatter",
      [](const ops::OpBuilder& b, const auto& op, const auto& values, const auto& groups) {
        return ops::reduceScatter(b, opOf(op), {sp::inner(values).flatten()}, groups).at(0);
      },
      op, values, groups);
}
Tensor reduceScatterCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op, Sequence& prog,
                                 const DebugContext& debugContext, const OptionFlags& options) {
  return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
Tensor allGatherCrossReplica(Graph& graph, const Tensor& data, Sequence& prog, const CommGroup& group,
                             const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("gcl::allGatherCrossReplica", options);
  const Groups groups = groupsOf("gcl::allGatherCrossReplica", graph, group);
  return sp::library(
      graph, prog, debugContext, "allGather",
      [](const ops::OpBuilder& b, const auto& data, const auto& replicas, const auto& groups) {
        const sg::Tensor x = sp::inner(data);
        sg::Shape shape = x.shape();
        shape.insert(shape.begin(), int64_t(replicas));
        return ops::allGather(b, {x.flatten()}, groups).at(0).reshape(shape);
      },
      data, replicasOf(graph, groups), groups);
}
Tensor allGatherCrossReplica(Graph& graph, const Tensor& data, Sequence& prog, const DebugContext& debugContext,
                             const OptionFlags& options) {
  return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
Tensor allToAllCrossReplica(Graph& graph, const Tensor& data, Sequence& prog, const CommGroup& group,
                            const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("gcl::allToAllCrossReplica", options);
  const Groups groups = groupsOf("gcl::allToAllCrossReplica", graph, group);
  return sp::library(
      graph, prog, debugContext, "allToAll",
      [](const ops::OpBuilder& b, const auto& data, const auto& groups) {
        return ops::allToAll(b, {sp::inner(data)}, groups).at(0);
      },
      data, groups);
}
Tensor allToAllCrossReplica(Graph& graph, const Tensor& data, Sequence& prog, const DebugContext& debugContext,
                            const OptionFlags& options) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
Tensor broadcastCrossReplica(Graph& graph, const Tensor& data, Sequence& prog, const CommGroup& group, unsigned rootReplica,
                             const DebugContext& debugContext, const OptionFlags& options) {
  if (rootReplica >= replicasOf(graph, groupsOf("gcl::broadcastCrossReplica", graph, group)))
    throw poputil::poplibs_error("gcl::broadcastCrossReplica: replica " + std::to_string(rootReplica) + " does not exist");
  const Tensor all = allGatherCrossReplica(graph, data, prog, group, debugContext, options)[rootReplica];
  const Tensor copy = graph.clone(data, debugContext);
  prog.add(poplar::program::Copy(all, copy, false, debugContext));
  return copy;
}

void reduceScatterToDestinationCrossReplica(Graph& graph, const Tensor& data, const Tensor& destination, CollectiveOperator op,
                                            Sequence& prog, const CommGroup& group, const DebugContext& debugContext,
                                            const OptionFlags& options) {
  const Tensor share = reduceScatterCrossReplica(graph, data, op, prog, group, debugContext, options);
  prog.add(poplar::program::Copy(share.reshape(destination.shape()), destination, false, debugContext));
}
std::vector<Tensor> reduceScatterCrossReplica(Graph& graph, const std::vector<Tensor>& datas, CollectiveOperator op,
                                              Sequence& prog, const CommGroup& group, const DebugContext& debugContext,
                                              const OptionFlags& options) {
  std::vector<Tensor> shares;
  for (const Tensor& data : datas)
    shares.push_back(reduceScatterCrossReplica(graph, data, op, prog, group, debugContext, options));
  return shares;
}
void allGatherToDestinationCrossReplica(Graph& graph, const Tensor& data, const Tensor& destination, Sequence& prog,
                                        const CommGroup& group, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor all = allGatherCrossReplica(graph, data, prog, group, debugContext, options);
  prog.add(poplar::program::Copy(all.reshape(destination.shape()), destination, false, debugContext));
}
std::vector<Tensor> allGatherCrossReplica(Graph& graph, const std::vector<Tensor>& datas, Sequence& prog, const CommGroup& group,
                                          const DebugContext& debugContext, const OptionFlags& options) {
  std::vector<Tensor> all;
  for (const Tensor& data : datas) all.push_back(allGatherCrossReplica(graph, data, prog, group, debugContext, options));
  return all;
}

Tensor allReduceWithinReplica(Graph& graph, const Tensor& data, CollectiveOperator op, Sequence& prog,
                              const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("gcl::allReduceWithinReplica", options);
  const Tensor values = squared(graph, data, op, prog, debugContext);
  return sp::library(
      graph, prog, debugContext, "allReduce",
      [](const ops::OpBuilder& b, const auto& op, const auto& values) {
        std::vector<sg::Tensor> rows, expanded;
        for (const sg::Tensor& row : rowsOf("gcl::allReduceWithinReplica", values)) rows.push_back(ops::duplicate(b, row, "row"));
        ops::allReduce(b, opOf(op), rows);
        for (const sg::Tensor& row : rows) expanded.push_back(row.expand({0}));
        return sg::concat(expanded, 0);
      },
      op, values);
}
Chunks reduceScatterWithinReplica(Graph& graph, const Tensor& data, CollectiveOperator op, Sequence& prog,
                                  const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("gcl::reduceScatterWithinReplica", options);
  const Tensor values = squared(graph, data, op, prog, debugContext);
  const auto shares = sp::library(
      graph, prog, debugContext, "reduceScatter",
      [](const ops::OpBuilder& b, const auto& op, const auto& values) {
        return ops::reduceScatter(b, opOf(op), rowsOf("gcl::reduceScatterWithinReplica", values));
      },
      op, values);
  Chunks chunks;
  chunks.originalInput = data;
  unsigned offset = 0;
  for (unsigned i = 0; i < shares.size(); ++i) {
    chunks.chunks.emplace_back(sp::outer(shares[i]), i, offset);
    offset += unsigned(shares[i].numElements());
  }
  return chunks;
}
Tensor allGatherWithinReplica(Graph& graph, const Chunks& parts, Sequence& prog, const DebugContext& debugContext,
                              const OptionFlags& options) {
  sp::ignoreOptions("gcl::allGatherWithinReplica", options);
  std::vector<sg::Tensor> shares;
  for (const Chunk& chunk : parts.chunks) shares.push_back(sp::inner(chunk.tensor));
  return sp::library(
      graph, prog, debugContext, "allGather",
      [](const ops::OpBuilder& b, const auto& shares) {
        std::vector<sg::Tensor> expanded;
        for (const sg::Tensor& all : ops::allGather(b, shares)) expanded.push_back(all.expand({0}));
        return sg::concat(expanded, 0);
      },
      shares);
}

} // namespace gcl
