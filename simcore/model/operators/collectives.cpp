// Operators between replicas (AllReduce, ReduceScatter, AllGather), and transfers from and to remote buffers off the chip.
#include "simcore/codelets/copy.h"
#include "simcore/model/operators/family.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/program/host_transfer.h"

namespace simcore::model {

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// Replicas are identical and one is simulated, so the mean over them is the value of the simulated one. A share represents all
// shares: the numbers are computed for the whole tensor, although the machine has only a part of it.
Types inferAll(const Call& call) {
  Types types;
  for (std::size_t i = 0; i < call.inputCount(); ++i) types.push_back(call.type(i));
  return types;
}
Tensors replicated(const Call& call) { return call.values(); }
// Inputs: all new shares, then all the whole parameters that they update.
Types inferAllGather(const Call& call) {
  Types types = inferAll(call);
  types.resize(types.size() / 2);
  return types;
}
Tensors gathered(const Call& call) {
  Tensors values = replicated(call);
  values.resize(values.size() / 2);
  return values;
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// Inputs of one type that one ring transfers together: few transfers reduce latency, and no single one needs a huge buffer.
std::vector<std::pair<ElementType, std::vector<std::size_t>>> ringLoads(NodeLowering& n, std::size_t count) {
  constexpr std::int64_t kBytes = std::int64_t(16) << 20;
  std::vector<std::pair<ElementType, std::vector<std::size_t>>> loads;
  std::map<ElementType, std::pair<std::size_t, std::int64_t>> open; // by type: index of the load, its bytes
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor input = n.input(i);
    const ElementType type = input.elementType();
    const std::int64_t bytes = input.numElements() * ops::elementBytes(type);
    auto load = open.find(type);
    if (load == open.end() || load->second.second + bytes > kBytes) {
      open[type] = {loads.size(), 0};
      load = open.find(type);
      loads.push_back({type, {}});
    }
    loads[load->second.first].second.push_back(i);
    load->second.second += bytes;
  }
  return loads;
}
void lowerAllReduce(NodeLowering& n) {
  n.averageOverReplicas();
  for (const auto& [type, inputs] : ringLoads(n, n.call().inputCount())) {
    std::vector<Tensor> parts;
    for (const std::size_t i : inputs) parts.push_back(n.input(i).flatten());
    ops::allReduce(n.builder(), ops::CollectiveOp::Mean, {graph::concat(parts)});
    for (const std::size_t i : inputs) n.give(n.input(i), i);
  }
}
// The ring returns the shares of all gradients in sequence; a copy on each tile separates them.
void lowerReduceScatter(NodeLowering& n) {
  n.averageOverReplicas();
  const std::int64_t replicas = n.call().attributes().integer("replicas", 1);
  for (const auto& [type, inputs] : ringLoads(n, n.call().inputCount())) {
    std::vector<Tensor> parts, shares;
    graph::PerTile copies;
    for (const std::size_t i : inputs) {
      parts.push_back(n.input(i).flatten());
      shares.push_back(ops::addShare(n.timeBuilder(), type, n.outputShape(i), "share", replicas));
      copies.add(n.timeBuilder().graph().variable(shares.back().wholeVariable()).extraBytes);
      n.give(shares.back(), i);
    }
    const auto reduced = ops::reduceScatter(n.timeBuilder(), ops::CollectiveOp::Mean, {graph::concat(parts)});
    graph::PerTile cycles;
    for (const auto& r : copies.runs())
      cycles.add(r.tiles, codelets::memcpyCycles(n.timeBuilder().tile(), r.value, 4).cycles.value());
    n.timeBuilder().exchange("shares", reduced, shares, {}, cycles);
  }
}
void lowerAllGather(NodeLowering& n) {
  const std::size_t count = n.call().inputCount() / 2;
  const std::int64_t replicas = n.call().attributes().integer("replicas", 1);
  for (const auto& [type, inputs] : ringLoads(n, count)) {
    std::vector<Tensor> held, whole;
    for (const std::size_t i : inputs) {
      held.push_back(ops::heldPart(n.input(i), replicas));
      whole.push_back(n.input(count + i));
    }
    const Tensor all = ops::allGather(n.timeBuilder(), {graph::concat(held)}).at(0);
    for (std::size_t k = 0; k < inputs.size(); ++k) { // back to the layout of the parameter
      const graph::Distribution layout = n.timeBuilder().layoutOf(whole[k]);
      n.timeBuilder().exchange("parameter", {all}, {whole[k]},
                               graph::trafficBlind(layout, layout.elementsByTile(), ops::elementBytes(whole[k])));
      n.give(whole[k], inputs[k]);
    }
  }
}

// The values of a transfer in sequence, or this replica's shares of them.
Tensor transferred(const NodeLowering& n, const std::vector<Tensor>& values) {
  if (values.size() == 1) return shardsOf(n) > 1 ? ops::heldPart(values[0], shardsOf(n)) : values[0];
  std::vector<Tensor> parts;
  for (const Tensor& value : values) parts.push_back(shardsOf(n) > 1 ? ops::heldPart(value, shardsOf(n)) : value.flatten());
  return graph::concat(parts);
}

// The node names the buffer. The first reader of the loaded values decides their tile mapping.
void lowerRemoteLoad(NodeLowering& n) {
  const std::string& name = n.call().attributes().text("buffer", "");
  const ops::OpBuilder b(n.timeBuilder().graph(), n.timeBuilder().program(), n.timeBuilder().context(), true,
                         n.timeBuilder().ipu());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i) {
    // A buffer has the name of its variable, or belongs to a group.
    const std::string& variable = n.node().outputs.size() > 1 ? n.node().inputs[i] : name;
    const ElementType type = n.scope().remoteType(n.node().inputs[i], n.scope().remoteType(variable, n.outputType(i)));
    values.push_back(b.graph().addVariable(type, n.outputShape(i), variable, b.context()));
    if (shardsOf(n) > 1) ops::makeShare(b, values.back(), shardsOf(n));
  }
  const Tensor all = transferred(n, values);
  const auto buffer = n.scope().remoteBuffer(name, all, b);
  ops::rowsFromHost(b, {buffer.elements, buffer.repeats}, all, [&](const Tensor& t, const Tensor& row) {
    return row.valid() ? graph::program::copy(buffer, t, row, name, b.context())
                       : graph::program::copy(buffer, t, name, b.context());
  });
  for (std::size_t i = 0; i < values.size(); ++i) n.giveView(values[i], i);
}
void lowerRemoteStore(NodeLowering& n) {
  const std::string& name = n.call().attributes().text("buffer", "");
  const ops::OpBuilder b(n.timeBuilder().graph(), n.timeBuilder().program(), n.timeBuilder().context(), true,
                         n.timeBuilder().ipu());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < n.node().inputs.size(); ++i) values.push_back(n.input(i));
  const Tensor all = transferred(n, values);
  const auto buffer = n.scope().remoteBuffer(name, all, b);
  ops::rowsToHost(b, {buffer.elements, buffer.repeats}, all, [&](const Tensor& t, const Tensor& row) {
    return row.valid() ? graph::program::copy(t, buffer, row, name, b.context())
                       : graph::program::copy(t, buffer, name, b.context());
  });
  for (std::size_t i = 0; i < values.size(); ++i) n.giveView(values[i], i);
}

// RemoteRows loads the rows of a buffer that its indices name, RemoteRowsStore writes them back. The buffer is off the chip.
Types inferRemoteRows(const Call& call) {
  return {{ElementType::Float, {numerics::elementCount(call.shape(0)), call.attributes().requiredInteger("columns")}}};
}
Types inferStoredRows(const Call& call) { return {call.type(1)}; }
Tensors onMachineOnly(const Call& call) {
  throw Error(ErrorCode::Unsupported, call.node().opType + " is computed on the machine only, not on the host");
}
void moveRemoteRows(NodeLowering& n, const Tensor& rows, std::int64_t count, bool load) {
  const std::string& name = n.call().attributes().text("buffer", "");
  const ops::OpBuilder b(n.timeBuilder().graph(), n.timeBuilder().program(), n.timeBuilder().context(), true,
                         n.timeBuilder().ipu());
  const Tensor at = n.input(0).flatten();
  b.layoutOf(at);
  const auto buffer = n.scope().remoteRows(name, rows.elementType(), rows.dim(1), count);
  b.program().add(load ? graph::program::copy(buffer, rows, at, name, b.context())
                       : graph::program::copy(rows, buffer, at, name, b.context()));
}
void lowerRemoteRows(NodeLowering& n) {
  const ops::OpBuilder& b = n.timeBuilder();
  const Tensor rows =
      b.output(n.outputType(), n.outputShape(), "rows", b.linear(numerics::elementCount(n.outputShape()), n.outputType()));
  moveRemoteRows(n, rows, n.call().attributes().requiredInteger("rows"), true);
  n.giveView(rows);
}
void lowerRemoteRowsStore(NodeLowering& n) {
  const Tensor rows = n.input(1);
  moveRemoteRows(n, rows, rows.dim(0), false);
  n.giveView(rows);
}

// AllToAll: [members, ..] with one member on each IPU. Part i of member m becomes part m of member i.
Tensors allToAll(const Call& call) {
  Tensors out;
  for (std::size_t i = 0; i < call.inputCount(); ++i) {
    Tensors parts;
    for (std::size_t m = 0; m < call.inputCount(); ++m) parts.push_back(numerics::slice(call.value(m), 0, std::int64_t(i), 1));
    out.push_back(numerics::concat(parts, 0));
  }
  return out;
}
void lowerAllToAll(NodeLowering& n) {
  const ops::OpBuilder b(n.timeBuilder().graph(), n.timeBuilder().program(), n.timeBuilder().context(), true,
                         n.timeBuilder().ipu());
  std::vector<Tensor> members; // each on its own IPU
  for (const std::string& name : n.node().inputs) {
    members.push_back(n.scope().tensor(name));
    b.layoutOf(members.back());
  }
  const auto received = ops::allToAll(b, members);
  for (std::size_t i = 0; i < received.size(); ++i) n.giveView(received[i], i);
}
void allToAllBack(const GradientCall& c) {
  const std::size_t members = c.node().inputs.size();
  std::vector<std::string> gradients;
  for (std::size_t i = 0; i < members; ++i) {
    const std::string dy = c.gradient(i);
    gradients.push_back(dy.empty() ? c.graph().expand(c.graph().number(0, c.elementType()), c.call().shape(i)) : dy);
  }
  const auto back = c.graph().addOwnMany("AllToAll", gradients, {}, std::vector<bool>(members, true));
  for (std::size_t i = 0; i < members; ++i)
    if (c.wants(i)) c.give(i, back[i]);
}

constexpr Operator kCollectivesOperators[] = {
    {"AllGather", 1, inferAllGather, gathered, lowerAllGather, nullptr, kPlain, kOwnDomain},
    {"AllReduce", 1, inferAll, replicated, lowerAllReduce, nullptr, kPlain, kOwnDomain},
    {"AllToAll", 1, inferAll, allToAll, lowerAllToAll, allToAllBack, kPlain, kOwnDomain},
    {"ReduceScatter", 1, inferAll, replicated, lowerReduceScatter, nullptr, kPlain, kOwnDomain},
    {"RemoteLoad", 1, inferAll, replicated, lowerRemoteLoad, nullptr, kPlain, kOwnDomain},
    {"RemoteRows", 1, inferRemoteRows, onMachineOnly, lowerRemoteRows, nullptr, kPlain, kOwnDomain},
    {"RemoteRowsStore", 1, inferStoredRows, onMachineOnly, lowerRemoteRowsStore, nullptr, kPlain, kOwnDomain},
    {"RemoteStore", 1, inferAll, replicated, lowerRemoteStore, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> collectivesOperators() { return kCollectivesOperators; }

} // namespace simcore::model
