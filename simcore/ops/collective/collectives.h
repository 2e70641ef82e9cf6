// Collectives as rings: every member sends a share to the next and gets one from the previous member, R -
// 1 times. A reduce-scatter adds the received share to its own after each step, an all-gather keeps it, an
// all-reduce does both, so that each member sends 2 (R - 1) / R of its bytes. A share is ceil(n / R)
// elements; the last shares are padded. The direction is chosen as in poplibs (lib/popops/Collectives.cpp,
// pickAllGatherMethod): replicas of one IPU, and of several on a torus, send half of the shares in each
// direction, which meet after half as many steps; two members, and replicas of several IPUs on a ladder,
// send all shares in one direction. The IPUs of a replica do this at the same time and share the rails.
// The members are tensors on R IPUs of the graph, or one tensor that represents all machine().replicas
// replicas of the program: the time of one replica is simulated, and only the traffic of the others
// counts. An engine that computes the numbers of all replicas (EngineOptions::replicas) combines their
// values; any other engine assumes that all replicas have the same values.
#pragma once

#include "simcore/graph/across_replicas.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

enum class CollectiveOp { Add, Mean, Multiply, Minimum, Maximum, LogicalAnd, LogicalOr };

// A group of replicas for a collective: `size` of them, `stride` apart. Size 0: all replicas.
struct ReplicaGroups {
  int64_t size = 0, stride = 1;
};

// IPUs of a ladder in the order of a ring: up one side, down the other.
std::vector<int> ladderRing(std::vector<int> ipus);

// Reduces the members in place. They have one shape and type. Throws Error(InvalidInput) for members of different shapes or on
// one IPU, or if groups do not divide the replicas of the program.
void allReduce(const OpBuilder& builder, CollectiveOp op, const std::vector<Tensor>& members, ReplicaGroups groups = {});
// Sums `value` in place over each group of `group` consecutive replicas: statistics of a norm shared by several replicas. `group`
// divides the number of replicas. Two replicas exchange their whole values, without rearranging them.
void sumOverNeighbours(const OpBuilder& builder, const Tensor& value, int64_t group);
// The reduced share of each member, on its IPU: share i of the flattened tensor, zeros beyond its end.
std::vector<Tensor> reduceScatter(const OpBuilder& builder, CollectiveOp op, const std::vector<Tensor>& members,
                                  ReplicaGroups groups = {});
// All shares in sequence on each member: R times as many elements, in the order of the members.
std::vector<Tensor> allGather(const OpBuilder& builder, const std::vector<Tensor>& shares, ReplicaGroups groups = {});
// Members [R, …]: part i of member m becomes part m of member i. Throws Error(InvalidInput) for another first dimension.
std::vector<Tensor> allToAll(const OpBuilder& builder, const std::vector<Tensor>& members, ReplicaGroups groups = {});

// Wraps a kernel so that it gets the batches (inputs of this shape) of `group` neighbouring replicas in sequence, as one batch;
// each replica gets its part of the results that have the shape of the joined batch, and all of the others.
graph::AcrossReplicas withNeighbours(HostKernel one, int64_t group, numerics::Shape batch);

} // namespace simcore::ops
