#include "simcore/ops/collective/collectives.h"

#include "reports/core/error.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/collective/inter_ipu.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace simcore::ops {

using numerics::HostTensor;
using reports::ceilDiv;

namespace {

struct Ring {
  std::vector<int> ipus;             // the IPU of each simulated member
  std::vector<Distribution> layouts; // the layout of one share on each of these IPUs
  // Link flows of one share from every member to the next, also in the rings of the replica's other IPUs, which use the same
  // rails at the same time.
  std::vector<graph::LinkFlow> flows;
  std::vector<int> members;    // all, round the ring
  int64_t size = 1, share = 0; // members; elements of a share
  bool bothWays = false;       // half of the shares move in each direction, half way round

  PerTile shareBytes(ElementType type, int64_t shares = 1) const {
    PerTile bytes;
    for (const Distribution& d : layouts)
      for (const auto& r : d.elementsByTile().runs())
        bytes.add(r.tiles, shares * reports::roundUp(r.value * elementBytes(type), 4));
    return bytes;
  }
  // Link traffic of a step: one share in one direction, or two shares in opposite directions.
  std::vector<graph::LinkFlow> flowsOf(int64_t shares) const {
    std::vector<graph::LinkFlow> all = flows;
    if (shares == 2)
      for (const graph::LinkFlow& f : flows) all.push_back({f.to, f.from, f.bytes});
    return all;
  }
};

// If one member represents all replicas, the ring consists of the first group of replicas.
Ring ringOf(const OpBuilder& b, const std::vector<Tensor>& members, bool membersAreShares, ReplicaGroups groups) {
  const auto& machine = b.machine();
  const int64_t together = groups.size == 0 ? machine.replicas : groups.size,
                stride = together == machine.replicas ? 1 : groups.stride;
  if (together < 1 || stride < 1 || machine.replicas % (together * stride) != 0)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         std::to_string(machine.replicas) + " replicas cannot be put into groups of " + std::to_string(together) +
                             " with a distance of " + std::to_string(stride),
                         b.graph().fullName(b.context()), "use a size and a distance whose product divides the replicas");
  Ring ring;
  for (const Tensor& t : members) {
    if (t.shape() != members[0].shape() || t.elementType() != members[0].elementType())
      throw reports::Error(reports::ErrorCode::InvalidInput, "the members of a collective have different shapes or types",
                           b.graph().fullName(b.context()));
    const int ipu = ipuOf(b.graph(), t);
    ring.ipus.push_back(ipu < 0 ? b.ipu() : ipu);
  }
  if (std::set<int>(ring.ipus.begin(), ring.ipus.end()).size() != ring.ipus.size())
    throw reports::Error(reports::ErrorCode::InvalidInput, "two members of a collective are on one IPU",
                         b.graph().fullName(b.context()));
  // Replicas of one IPU form a ring around the ladder, like members on IPUs of one graph. Replicas of several IPUs use two rails,
  // each in both directions; on a torus, each rail is a ring.
  const bool twins = members.size() == 1 && machine.replicas > 1, several = twins && machine.ipus > 1,
             torus = several && machine.isTorus() && together == machine.replicas;
  if (twins) {
    std::vector<int> replicas(static_cast<std::size_t>(together));
    std::iota(replicas.begin(), replicas.end(), 0);
    for (const int r : torus ? replicas : ladderRing(replicas))
      ring.members.push_back(ring.ipus[0] + r * int(stride) * machine.ipus);
  } else {
    ring.members = ladderRing(ring.ipus);
  }
  ring.size = int64_t(ring.members.size());
  ring.bothWays = ring.size > 2 && (!several || torus);
  ring.share = membersAreShares ? members[0].numElements() : ceilDiv(members[0].numElements(), ring.size);
  for (const int ipu : ring.ipus) ring.layouts.push_back(b.onIpu(ipu).linear(ring.share, members[0].elementType()));
  const int64_t bytes = ring.shareBytes(members[0].elementType()).sum() / int64_t(members.size());
  for (int ipu = 0; ring.size > 1 && ipu < (several ? machine.ipus : 1); ++ipu)
    for (std::size_t i = 0; i < ring.members.size(); ++i) {
      const int beside = several ? ipu - ring.ipus[0] : 0;
      ring.flows.push_back({ring.members[i] + beside, ring.members[(i + 1) % ring.members.size()] + beside, bytes});
    }
  return ring;
}

Tensor received(const OpBuilder& b, const Ring& ring, ElementType type, int64_t shares) {
  return b.buffer(type, "received", ring.shareBytes(type, shares), reports::MemoryCategory::Message);
}

void ringExchange(const OpBuilder& b, const Ring& ring, const std::vector<Tensor>& from, const std::vector<Tensor>& to,
                  ElementType type, int64_t shares) {
  Traffic traffic;
  traffic.linkBytesIn = traffic.linkBytesOut = ring.shareBytes(type, shares);
  traffic.linkFlows = ring.flowsOf(shares);
  b.exchange("ringStep", from, to, traffic);
}

// The steps that transfer size - 1 shares: `step(b, shares)` moves `shares` of them at once.
template<class F> void ringSteps(const OpBuilder& b, const Ring& ring, const std::string& name, F step) {
  const auto steps = [&](int64_t times, int64_t shares) {
    if (times == 0) return;
    Sequence body;
    step(b.into(body), shares);
    b.program().add(graph::program::repeat(times, body, name, b.context()));
  };
  const int64_t alone = ring.bothWays ? (ring.size - 1) % 2 : ring.size - 1; // steps that move a share in one direction only
  steps((ring.size - 1 - alone) / 2, 2);
  steps(alone, 1);
}

codelets::BinaryOp binaryOf(CollectiveOp op) {
  switch (op) {
  case CollectiveOp::Multiply: return codelets::BinaryOp::Multiply;
  case CollectiveOp::Minimum: return codelets::BinaryOp::Minimum;
  case CollectiveOp::Maximum: return codelets::BinaryOp::Maximum;
  case CollectiveOp::LogicalAnd: return codelets::BinaryOp::LogicalAnd;
  case CollectiveOp::LogicalOr: return codelets::BinaryOp::LogicalOr;
  default: return codelets::BinaryOp::Add;
  }
}

double combined(CollectiveOp op, double a, double b) {
  switch (op) {
  case CollectiveOp::Multiply: return a * b;
  case CollectiveOp::Minimum: return std::min(a, b);
  case CollectiveOp::Maximum: return std::max(a, b);
  case CollectiveOp::LogicalAnd: return a != 0 && b != 0;
  case CollectiveOp::LogicalOr: return a != 0 || b != 0;
  default: return a + b;
  }
}

// Combines the received share with the member's own to the next partial result.
void combineShares(const OpBuilder& b, const Ring& ring, CollectiveOp op, const Tensor& arrived, const std::vector<Tensor>& own,
                   const std::vector<Tensor>& into, ElementType type, int64_t shares) {
  const auto binary = binaryOf(op);
  Superstep add(b, binary == codelets::BinaryOp::Add ? "add" : "combine");
  for (const Distribution& d : ring.layouts)
    for (const auto& r : d.elementsByTile().runs())
      add.add(codelets::binaryOp1DSpec(binary, type, codelets::Placement::InPlace),
              codelets::binaryOp1D(b.tile(), binary, type, shares * r.value, codelets::Placement::InPlace), r.tiles);
  std::vector<Tensor> reads = own;
  reads.push_back(arrived);
  add.execute(reads, into);
}

// Divides each share by the number of members.
void divide(const OpBuilder& b, const Ring& ring, const std::vector<Tensor>& values, ElementType type) {
  Superstep scale(b, "mean");
  for (const Distribution& d : ring.layouts)
    for (const auto& r : d.elementsByTile().runs())
      scale.add(codelets::broadcastScalar1DSpec(codelets::BinaryOp::Multiply, type, codelets::Placement::InPlace),
                codelets::broadcastScalar1D(b.tile(), codelets::BinaryOp::Multiply, type, r.value, codelets::Placement::InPlace),
                r.tiles);
  scale.execute(values, values);
}

void scatterSteps(const OpBuilder& b, const Ring& ring, CollectiveOp op, const std::vector<Tensor>& from,
                  const std::vector<Tensor>& into, ElementType type) {
  if (ring.size < 2) return;
  ringSteps(b, ring, "reduceScatter", [&](const OpBuilder& step, int64_t shares) {
    const Tensor arrived = received(step, ring, type, shares);
    ringExchange(step, ring, from, {arrived}, type, shares);
    combineShares(step, ring, op, arrived, from, into, type, shares);
  });
  if (op == CollectiveOp::Mean) divide(b, ring, into, type);
}

void gatherSteps(const OpBuilder& b, const Ring& ring, const std::vector<Tensor>& from, const std::vector<Tensor>& into,
                 ElementType type) {
  if (ring.size < 2) return;
  ringSteps(b, ring, "allGather",
            [&](const OpBuilder& step, int64_t shares) { ringExchange(step, ring, from, into, type, shares); });
}

// The result of the operation over all members; replicas that are not simulated have the values of the one member.
HostTensor reduced(const std::vector<HostTensor>& members, CollectiveOp op, int64_t size) {
  std::vector<double> all = members[0].toDoubles();
  for (std::size_t m = 1; m < members.size(); ++m) {
    const std::vector<double> more = members[m].toDoubles();
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = combined(op, all[i], more[i]);
  }
  const double twins = double(size) / double(members.size());
  for (double& v : all) {
    if (op == CollectiveOp::Add) v *= twins;
    if (op == CollectiveOp::Mean) v *= twins / double(size);
    if (op == CollectiveOp::Multiply && twins > 1) v = std::pow(v, twins);
  }
  return HostTensor::of<double>(members[0].shape(), all).cast(members[0].type());
}

// The values of a ring's members while shares move in one direction, for computing step by step. Replicas that are not simulated
// have the values of the one member.
class RingValues {
public:
  // Whole tensors, cut into shares and padded with zeros.
  RingValues(const std::vector<HostTensor>& values, int64_t size, int64_t share)
      : m_held(std::size_t(size), std::vector<std::vector<double>>(std::size_t(size))) {
    for (int64_t m = 0; m < size; ++m) {
      std::vector<double> all = values[std::size_t(m) % values.size()].toDoubles();
      all.resize(std::size_t(size * share), 0);
      for (int64_t s = 0; s < size; ++s)
        m_held[std::size_t(m)][std::size_t(s)].assign(all.begin() + s * share, all.begin() + (s + 1) * share);
    }
  }

  // In step t member m passes on share m - t - 1, and its neighbour combines it with the neighbour's own share; finally member m
  // has share m.
  void reduceScatter(CollectiveOp op) {
    const int64_t size = members();
    for (int64_t t = 0; t + 1 < size; ++t) {
      const auto before = m_held;
      for (int64_t m = 0; m < size; ++m) {
        const auto share = std::size_t((m - t - 1 + 2 * size) % size), to = std::size_t((m + 1) % size);
        for (std::size_t i = 0; i < before[0][share].size(); ++i)
          m_held[to][share][i] = combined(op, m_held[to][share][i], before[std::size_t(m)][share][i]);
      }
    }
  }
  // Member m starts with share m; in step t it passes on share m - t.
  void allGather() {
    const int64_t size = members();
    for (int64_t t = 0; t + 1 < size; ++t) {
      const auto before = m_held;
      for (int64_t m = 0; m < size; ++m) {
        const auto share = std::size_t((m - t + size) % size);
        m_held[std::size_t((m + 1) % size)][share] = before[std::size_t(m)][share];
      }
    }
  }
  void scaleOwn(double factor) {
    for (std::size_t m = 0; m < m_held.size(); ++m)
      for (double& v : m_held[m][m]) v *= factor;
  }
  const std::vector<double>& own(std::size_t member) const { return m_held[member][member]; }
  void setOwn(std::size_t member, std::vector<double> share) { m_held[member][member] = std::move(share); }
  std::vector<double> whole(std::size_t member) const {
    std::vector<double> all;
    for (const auto& share : m_held[member]) all.insert(all.end(), share.begin(), share.end());
    return all;
  }

private:
  int64_t members() const { return int64_t(m_held.size()); }
  std::vector<std::vector<std::vector<double>>> m_held; // by member, then share
};

HostTensor shaped(std::vector<double> values, const HostTensor& like) {
  values.resize(std::size_t(like.count()));
  return HostTensor::of(like.shape(), values).cast(like.type());
}

RingValues scattered(const std::vector<HostTensor>& values, CollectiveOp op, int64_t size, int64_t share) {
  RingValues ring(values, size, share);
  ring.reduceScatter(op);
  if (op == CollectiveOp::Mean) ring.scaleOwn(1 / double(size));
  return ring;
}

// The replicas of each group, in order; one computed replica represents all of its group.
std::vector<std::vector<std::size_t>> replicasByGroup(std::size_t replicas, ReplicaGroups groups) {
  const std::size_t size = groups.size == 0 ? replicas : std::min(replicas, std::size_t(groups.size));
  const std::size_t stride = size == replicas ? 1 : std::size_t(groups.stride);
  std::vector<std::vector<std::size_t>> all(replicas / size);
  for (std::size_t r = 0; r < replicas; ++r) all[r / (size * stride) * stride + r % stride].push_back(r);
  return all;
}

// The numbers of a collective: `f` gets the values of all computed members and returns the new value of each.
template<class F>
void attachNumbers(const OpBuilder& b, const std::vector<Tensor>& members, const std::vector<Tensor>& results,
                   ReplicaGroups groups, F f) {
  if (members.size() > 1) return b.compute(members, results, std::move(f));
  b.compute(members, results, graph::AcrossReplicas{[f = std::move(f), groups](const graph::AcrossReplicas::PerReplica& in) {
              graph::AcrossReplicas::PerReplica out(in.size());
              for (const auto& group : replicasByGroup(in.size(), groups)) {
                std::vector<HostTensor> values;
                for (const std::size_t r : group) values.push_back(in[r][0]);
                const std::vector<HostTensor> made = f(values);
                for (std::size_t i = 0; i < group.size(); ++i) out[group[i]] = {made[i]};
              }
              return out;
            }});
}

} // namespace

std::vector<int> ladderRing(std::vector<int> ipus) {
  std::sort(ipus.begin(), ipus.end());
  std::vector<int> ring;
  for (const int ipu : ipus)
    if (ipu % 2 == 0) ring.push_back(ipu);
  for (std::size_t i = ipus.size(); i-- > 0;)
    if (ipus[i] % 2 != 0) ring.push_back(ipus[i]);
  return ring;
}

void allReduce(const OpBuilder& builder, CollectiveOp op, const std::vector<Tensor>& members, ReplicaGroups groups) {
  if (members.empty()) return;
  const OpBuilder b = builder.within("allReduce", "allReduce");
  const ElementType type = members[0].elementType();
  const Ring ring = ringOf(b, members, false, groups);
  scatterSteps(b, ring, op, members, members, type);
  gatherSteps(b, ring, members, members, type);
  attachNumbers(b, members, members, groups,
                [op, size = ring.size, share = ring.share, byCells = b.byCells()](const std::vector<HostTensor>& values) {
                  if (!byCells) return std::vector<HostTensor>(values.size(), reduced(values, op, size));
                  RingValues held = scattered(values, op, size, share);
                  held.allGather();
                  std::vector<HostTensor> out;
                  for (std::size_t m = 0; m < values.size(); ++m) out.push_back(shaped(held.whole(m), values[m]));
                  return out;
                });
}

namespace {
// Two members exchange their whole tensors and add them in place: the same bytes as sending shares back and forth, but in one
// step and without code on other tiles.
void addThatOfTheOther(const OpBuilder& b, const Ring& ring, const Tensor& value) {
  const ElementType type = value.elementType();
  PerTile elements, bytes;
  for (const auto id : value.variables()) {
    const auto& v = std::as_const(b.graph()).variable(id);
    elements.add(b.layoutOf(Tensor(id, v.type, v.shape)).elementsByTile());
  }
  for (const auto& r : elements.runs()) bytes.add(r.tiles, reports::roundUp(r.value * elementBytes(type), 4));
  const Tensor arrived = b.buffer(type, "received", bytes, reports::MemoryCategory::Message);
  Traffic traffic;
  traffic.linkBytesIn = traffic.linkBytesOut = bytes;
  traffic.linkFlows = ring.flows;
  for (graph::LinkFlow& flow : traffic.linkFlows) flow.bytes = bytes.sum();
  b.exchange("swap", {value}, {arrived}, traffic);
  Superstep add(b, "add");
  for (const auto& r : elements.runs())
    add.add(codelets::binaryOp1DSpec(codelets::BinaryOp::Add, type, codelets::Placement::InPlace),
            codelets::binaryOp1D(b.tile(), codelets::BinaryOp::Add, type, r.value, codelets::Placement::InPlace), r.tiles);
  add.execute({value, arrived}, {value});
}

// Whether the tensor covers all of its variables.
bool isWhole(const Graph& graph, const Tensor& value) {
  int64_t elements = 0;
  for (const auto id : value.variables()) elements += graph.variable(id).elements();
  return elements == value.numElements();
}
} // namespace

void sumOverNeighbours(const OpBuilder& builder, const Tensor& value, int64_t group) {
  if (group < 2) return;
  const OpBuilder b = builder.within("sumOverNeighbours", "allReduce");
  const Ring ring = ringOf(b, {value}, false, {group, 1});
  if (ring.size == 2 && isWhole(b.graph(), value)) {
    addThatOfTheOther(b, ring, value);
  } else {
    scatterSteps(b, ring, CollectiveOp::Add, {value}, {value}, value.elementType());
    gatherSteps(b, ring, {value}, {value}, value.elementType());
  }
  attachNumbers(b, {value}, {value}, {group, 1}, [group](const std::vector<HostTensor>& values) {
    return std::vector<HostTensor>(values.size(), reduced(values, CollectiveOp::Add, group));
  });
}

std::vector<Tensor> reduceScatter(const OpBuilder& builder, CollectiveOp op, const std::vector<Tensor>& members,
                                  ReplicaGroups groups) {
  if (members.empty()) return {};
  const OpBuilder b = builder.within("reduceScatter", "reduceScatter");
  const ElementType type = members[0].elementType();
  const Ring ring = ringOf(b, members, false, groups);
  std::vector<Tensor> shares;
  for (std::size_t m = 0; m < members.size(); ++m)
    shares.push_back(b.onIpu(ring.ipus[m]).output(type, {ring.share}, "share", ring.layouts[m]));
  scatterSteps(b, ring, op, members, shares, type);
  attachNumbers(b, members, shares, groups,
                [op, size = ring.size, share = ring.share, byCells = b.byCells()](const std::vector<HostTensor>& values) {
                  if (byCells) {
                    const RingValues held = scattered(values, op, size, share);
                    std::vector<HostTensor> out;
                    for (std::size_t m = 0; m < values.size(); ++m)
                      out.push_back(HostTensor::vector(held.own(m)).cast(values[m].type()));
                    return out;
                  }
                  std::vector<double> sum = reduced(values, op, size).toDoubles();
                  sum.resize(std::size_t(share * size), 0);
                  std::vector<HostTensor> out;
                  for (std::size_t m = 0; m < values.size(); ++m) {
                    const auto first = sum.begin() + std::ptrdiff_t(int64_t(m) * share);
                    out.push_back(
                        HostTensor::vector(std::vector<double>(first, first + std::ptrdiff_t(share))).cast(values[m].type()));
                  }
                  return out;
                });
  return shares;
}

std::vector<Tensor> allGather(const OpBuilder& builder, const std::vector<Tensor>& shares, ReplicaGroups groups) {
  if (shares.empty()) return {};
  const OpBuilder b = builder.within("allGather", "allGather");
  const ElementType type = shares[0].elementType();
  const Ring ring = ringOf(b, shares, true, groups);
  std::vector<Tensor> whole;
  for (const int ipu : ring.ipus) {
    const OpBuilder there = b.onIpu(ipu);
    whole.push_back(there.output(type, {ring.share * ring.size}, "gathered", there.linear(ring.share * ring.size, type)));
  }
  gatherSteps(b, ring, shares, whole, type);
  attachNumbers(b, shares, whole, groups,
                [size = ring.size, share = ring.share, byCells = b.byCells()](const std::vector<HostTensor>& values) {
                  if (byCells) {
                    RingValues held({HostTensor(ElementType::Double, {1})}, size, share);
                    for (int64_t m = 0; m < size; ++m)
                      held.setOwn(std::size_t(m), values[std::size_t(m) % values.size()].toDoubles());
                    held.allGather();
                    std::vector<HostTensor> out;
                    for (std::size_t m = 0; m < values.size(); ++m)
                      out.push_back(HostTensor::vector(held.whole(m)).cast(values[m].type()));
                    return out;
                  }
                  std::vector<double> all;
                  for (int64_t m = 0; m < size; ++m) { // replicas that are not simulated have the values of the one member
                    const std::vector<double> one = values[std::size_t(m) % values.size()].toDoubles();
                    all.insert(all.end(), one.begin(), one.end());
                  }
                  return std::vector<HostTensor>(values.size(), HostTensor::vector(all).cast(values[0].type()));
                });
  return whole;
}

std::vector<Tensor> allToAll(const OpBuilder& builder, const std::vector<Tensor>& members, ReplicaGroups groups) {
  if (members.empty()) return {};
  const OpBuilder b = builder.within("allToAll", "allToAll");
  const ElementType type = members[0].elementType();
  const Ring ring = ringOf(b, members, false, groups);
  if (members[0].rank() == 0 || members[0].dim(0) != ring.size)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "the first dimension of " + members[0].getDebugStr() + " must be " + std::to_string(ring.size) +
                             ", one part per member of the all-to-all",
                         b.graph().fullName(b.context()));
  std::vector<Tensor> results;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const OpBuilder there = b.onIpu(ring.ipus[m]);
    results.push_back(there.output(type, members[m].shape(), "parts", there.linear(members[m].numElements(), type)));
  }
  // All pairs in one exchange; a member's part for itself is a copy on the tile.
  const PerTile part = ring.shareBytes(type);
  Traffic traffic;
  traffic.linkBytesIn.add(part, ring.size - 1);
  traffic.linkBytesOut = traffic.linkBytesIn;
  for (const int from : ring.members)
    for (const int to : ring.members)
      if (from != to) traffic.linkFlows.push_back({from, to, ring.flows[0].bytes});
  PerTile copies;
  for (const auto& r : part.runs()) copies.add(r.tiles, codelets::memcpyCycles(b.tile(), r.value, 4).cycles.value());
  b.exchange("allToAll", members, results, traffic, copies);
  attachNumbers(b, members, results, groups, [size = ring.size](const std::vector<HostTensor>& values) {
    std::vector<HostTensor> out;
    for (std::size_t m = 0; m < values.size(); ++m) {
      HostTensor mine = HostTensor::uninitialised(values[m].type(), values[m].shape());
      const std::size_t bytes = mine.byteCount() / std::size_t(size);
      for (std::size_t r = 0; r < std::size_t(size); ++r)
        std::copy_n(values[r % values.size()].raw().data() + m * bytes, bytes, mine.mutableRaw().data() + r * bytes);
      out.push_back(std::move(mine));
    }
    return out;
  });
  return results;
}

graph::AcrossReplicas withNeighbours(HostKernel one, int64_t group, numerics::Shape batch) {
  return {[one = std::move(one), group, batch = std::move(batch)](const graph::AcrossReplicas::PerReplica& in) {
    if (in.size() == 1) return graph::AcrossReplicas::PerReplica{one(in[0])}; // all batches are equal
    numerics::Shape whole = batch;
    whole[0] *= group;
    graph::AcrossReplicas::PerReplica out;
    for (std::size_t first = 0; first < in.size(); first += std::size_t(group)) {
      std::vector<HostTensor> together;
      for (std::size_t i = 0; i < in[first].size(); ++i) {
        std::vector<HostTensor> parts;
        for (int64_t r = 0; r < group; ++r) parts.push_back(in[first + std::size_t(r)][i]);
        together.push_back(parts[0].shape() == batch ? numerics::concat(parts, 0) : parts[0]);
      }
      const std::vector<HostTensor> results = one(together);
      for (int64_t r = 0; r < group; ++r) {
        std::vector<HostTensor> mine;
        for (const HostTensor& t : results)
          mine.push_back(t.shape() == whole ? numerics::slice(t, 0, r * batch[0], batch[0]) : t);
        out.push_back(std::move(mine));
      }
    }
    return out;
  }};
}

} // namespace simcore::ops
