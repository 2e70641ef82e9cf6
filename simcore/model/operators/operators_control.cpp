// If, Loop and Scan: nodes that run subgraphs.
#include "simcore/model/parameters.h"
#include "simcore/numerics/layout.h"

#include <limits>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

// Models loop over the steps of a sequence or the boxes of a picture. A body takes microseconds at least, so this takes seconds.
constexpr std::int64_t kMaximumTrips = 1'000'000;

// Only one branch is looked at when the condition is known; otherwise both must agree.
Types inferIf(const Call& call) {
  const Attributes& a = call.attributes();
  if (call.isKnown(0)) return call.subgraphTypes()(a.graph(call.value(0).integerAt(0) ? "then_branch" : "else_branch"), {});
  const Types yes = call.subgraphTypes()(a.graph("then_branch"), {}), no = call.subgraphTypes()(a.graph("else_branch"), {});
  if (yes != no)
    throw Error(ErrorCode::Unsupported, "the branches of If give different shapes and its condition is not known before the run");
  return yes;
}
Tensors runIf(const Call& call) {
  if (call.value(0).count() != 1) throw Error(ErrorCode::InvalidInput, "the condition of If must be one element");
  return call.subgraph()(call.attributes().graph(call.value(0).integerAt(0) ? "then_branch" : "else_branch"), {});
}

struct LoopShape {
  std::size_t carried = 0, scanned = 0;
};
LoopShape loopShape(const Call& call, const Graph& body) {
  const std::size_t carried = call.inputCount() < 2 ? 0 : call.inputCount() - 2;
  if (body.inputs.size() != carried + 2 || body.outputs.size() < carried + 1)
    throw Error(ErrorCode::InvalidInput, "the body of Loop does not fit its node");
  return {carried, body.outputs.size() - carried - 1};
}

Types inferLoop(const Call& call) {
  const Graph& body = call.attributes().graph("body");
  const LoopShape shape = loopShape(call, body);
  Types inputs{{ElementType::Int64, {}}, {ElementType::Bool, {}}};
  for (std::size_t i = 0; i < shape.carried; ++i) inputs.push_back(call.type(i + 2));
  const Types outputs = call.subgraphTypes()(body, inputs);
  Types types;
  for (std::size_t i = 0; i < shape.carried; ++i) {
    if (outputs[i + 1] != inputs[i + 2]) throw Error(ErrorCode::Unsupported, "a value that Loop carries changes its shape");
    types.push_back(outputs[i + 1]);
  }
  for (std::size_t i = 0; i < shape.scanned; ++i) {
    types.push_back(outputs[1 + shape.carried + i]);
    types.back().shape.insert(types.back().shape.begin(), call.value(0).integerAt(0));
  }
  return types;
}

HostTensor stacked(const Tensors& parts) {
  if (parts.empty()) return HostTensor(ElementType::Float, {0});
  Tensors rows;
  for (const HostTensor& part : parts) {
    Shape shape = part.shape();
    shape.insert(shape.begin(), 1);
    rows.push_back(part.reshaped(shape));
  }
  return numerics::concat(rows, 0);
}

Tensors runLoop(const Call& call) {
  const Graph& body = call.attributes().graph("body");
  const LoopShape shape = loopShape(call, body);
  const std::int64_t trips = call.has(0) ? call.value(0).integerAt(0) : std::numeric_limits<std::int64_t>::max();
  bool goOn = !call.has(1) || call.value(1).integerAt(0) != 0;
  Tensors carried;
  for (std::size_t i = 0; i < shape.carried; ++i) carried.push_back(call.value(i + 2));
  std::vector<Tensors> scanned(shape.scanned);
  for (std::int64_t trip = 0; goOn && trip < trips; ++trip) {
    if (trip == kMaximumTrips)
      throw Error(ErrorCode::InvalidInput, "Loop has not ended after " + std::to_string(kMaximumTrips) + " rounds", {},
                  "give it a trip count, or a condition that becomes false");
    Tensors inputs{HostTensor::scalar(trip), HostTensor::scalar(goOn)};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    Tensors outputs = call.subgraph()(body, inputs);
    goOn = outputs[0].integerAt(0) != 0;
    for (std::size_t i = 0; i < shape.carried; ++i) carried[i] = outputs[i + 1];
    for (std::size_t i = 0; i < shape.scanned; ++i) scanned[i].push_back(outputs[1 + shape.carried + i]);
  }
  for (const Tensors& parts : scanned) carried.push_back(stacked(parts));
  return carried;
}

// Scan over axis 0 of every scanned input, forwards (opset 9 and later).
struct ScanShape {
  std::size_t states = 0, scanned = 0;
  std::int64_t length = 0;
};
ScanShape scanShape(const Call& call) {
  for (const char* name : {"scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions"})
    for (const std::int64_t value : call.attributes().integers(name))
      if (value != 0)
        throw Error(ErrorCode::Unsupported, "Scan with the attribute '" + std::string(name) + "' (opset " +
                                                std::to_string(call.opset()) + ") is not supported");
  if (call.opset() < 9)
    throw Error(ErrorCode::Unsupported, "operator Scan (opset " + std::to_string(call.opset()) + ") is not supported");
  const auto scanned = std::size_t(call.attributes().requiredInteger("num_scan_inputs"));
  if (scanned < 1 || scanned > call.inputCount()) throw Error(ErrorCode::InvalidInput, "Scan has too few inputs");
  const ScanShape shape{call.inputCount() - scanned, scanned, call.shape(call.inputCount() - scanned).at(0)};
  if (call.attributes().graph("body").outputs.size() < shape.states)
    throw Error(ErrorCode::InvalidInput, "the body of Scan does not fit its node");
  return shape;
}
Types inferScan(const Call& call) {
  const ScanShape shape = scanShape(call);
  Types inputs;
  for (std::size_t i = 0; i < call.inputCount(); ++i) {
    inputs.push_back(call.type(i));
    if (i >= shape.states) inputs.back().shape.erase(inputs.back().shape.begin());
  }
  Types outputs = call.subgraphTypes()(call.attributes().graph("body"), inputs);
  for (std::size_t i = shape.states; i < outputs.size(); ++i) outputs[i].shape.insert(outputs[i].shape.begin(), shape.length);
  return outputs;
}
Tensors runScan(const Call& call) {
  const ScanShape shape = scanShape(call);
  const Graph& body = call.attributes().graph("body");
  Tensors states;
  for (std::size_t i = 0; i < shape.states; ++i) states.push_back(call.value(i));
  std::vector<Tensors> scanned(body.outputs.size() - shape.states);
  for (std::int64_t trip = 0; trip < shape.length; ++trip) {
    Tensors inputs = states;
    for (std::size_t i = shape.states; i < call.inputCount(); ++i) {
      const HostTensor part = numerics::slice(call.value(i), 0, trip, 1);
      inputs.push_back(part.reshaped(Shape(part.shape().begin() + 1, part.shape().end())));
    }
    const Tensors outputs = call.subgraph()(body, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (i < shape.states)
        states[i] = outputs[i];
      else
        scanned[i - shape.states].push_back(outputs[i]);
  }
  for (const Tensors& parts : scanned) states.push_back(stacked(parts));
  return states;
}

constexpr Operator kControlOperators[] = {
    {"If", inferIf, runIf},
    {"Loop", inferLoop, runLoop},
    {"Scan", inferScan, runScan},
};

} // namespace

std::span<const Operator> controlOperators() { return kControlOperators; }

} // namespace simcore::model
