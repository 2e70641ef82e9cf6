// Operators that only move or view elements. A view of few pieces stays a view; others are copied once, because every reader
// would fetch element by element.
#include "simcore/numerics/layout.h"
#include "simcore/model/operators/family.h"
#include "simcore/numerics/indexing.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

std::vector<std::size_t> permutation(const Call& call) {
  const std::size_t rank = call.shape(0).size();
  std::vector<std::size_t> result;
  if (!call.attributes().has("perm"))
    for (std::size_t i = rank; i-- > 0;) result.push_back(i);
  for (const std::int64_t axis : call.attributes().integers("perm")) result.push_back(numerics::normaliseAxis(axis, rank));
  requireCount("the permutation of Transpose", result.size(), rank);
  if (std::set<std::size_t>(result.begin(), result.end()).size() != rank) refuseNode("Transpose names a dimension twice");
  return result;
}

Shape reshapeTarget(const Call& call) {
  const Shape& from = call.shape(0);
  Shape shape = call.integers(1, "shape");
  const bool keepZero = call.attributes().integer("allowzero", 0) != 0;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !keepZero) {
      if (i >= from.size()) refuseNode("Reshape copies a dimension that " + numerics::toString(from) + " does not have");
      shape[i] = from[i];
    } else if (shape[i] == -1) {
      if (open) refuseNode("Reshape leaves two dimensions open");
      open = i;
    } else if (shape[i] < 0) {
      refuseNode("Reshape has the dimension " + std::to_string(shape[i]) + ", less than -1");
    }
  }
  if (open) {
    shape[*open] = 1;
    const std::int64_t known = numerics::elementCount(shape), total = numerics::elementCount(from);
    if (known == 0 ? total != 0 : total % known != 0)
      refuseNode("Reshape cannot divide " + numerics::toString(from) + " into parts of " + std::to_string(known) + " elements");
    shape[*open] = known ? total / known : 0;
  }
  return shape;
}

Shape squeezed(const Call& call) {
  const Shape& from = call.shape(0);
  std::vector<std::int64_t> axes = call.integers(1, "axes");
  if (axes.empty())
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] == 1) axes.push_back(std::int64_t(i));
  const auto removed = numerics::normaliseAxes(axes, from.size(), false);
  for (const std::size_t axis : removed)
    if (from[axis] != 1)
      refuseNode("Squeeze cannot remove dimension " + std::to_string(axis) + " of " + numerics::toString(from));
  return numerics::reducedShape(from, removed, false);
}

Shape unsqueezed(const Call& call) {
  const std::vector<std::int64_t> axes = call.integers(1, "axes");
  const std::size_t rank = call.shape(0).size() + axes.size();
  const auto added = numerics::normaliseAxes(axes, rank, false);
  if (added.size() != axes.size()) refuseNode("Unsqueeze names a dimension twice");
  Shape shape = call.shape(0);
  for (const std::size_t axis : added) shape.insert(shape.begin() + std::ptrdiff_t(axis), 1);
  return shape;
}

Shape reshapedShape(const Call& call) {
  const std::string& type = call.node().opType;
  Shape shape;
  if (type == "Squeeze")
    shape = squeezed(call);
  else if (type == "Unsqueeze")
    shape = unsqueezed(call);
  else if (type == "Flatten") {
    const Shape& from = call.shape(0);
    const std::int64_t axis = call.attributes().integer("axis", 1), rank = std::int64_t(from.size());
    if (axis < -rank || axis > rank) refuseNode("the axis of Flatten is outside the shape " + numerics::toString(from));
    const auto at = std::size_t(axis < 0 ? axis + rank : axis);
    shape = {numerics::elementCount(from, 0, at), numerics::elementCount(from, at, from.size())};
  } else
    shape = reshapeTarget(call);
  if (numerics::elementCount(shape) != numerics::elementCount(call.shape(0)))
    refuseNode("a tensor of " + numerics::toString(call.shape(0)) + " cannot become " + numerics::toString(shape));
  return shape;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// Runs the forward operator on the positions of its input (counted from 1, so 0 is padding) to find where each gradient element is added.
Tensors movementGrad(const Call& call) {
  Node forward = forwardNode(call);
  forward.outputs = {"to"};
  const Shape shape = shapeOf(call);
  HostTensor positions = HostTensor::uninitialised(ElementType::Int64, shape);
  std::iota(positions.mutableValues<std::int64_t>().begin(), positions.mutableValues<std::int64_t>().end(), 1);
  std::unordered_map<std::string, HostTensor> values{{"0", positions}};
  forward.inputs = {"0"};
  const std::size_t used = forward.opType == "Pad" ? 2 : call.inputCount(); // the pad value has no position
  for (std::size_t i = 1; i < std::min(used, call.inputCount()); ++i) {
    forward.inputs.push_back(call.has(i) ? std::to_string(i) : "");
    if (call.has(i)) values[std::to_string(i)] = call.value(i);
  }
  return {numerics::addAt(call.value(0), evaluateNode(forward, values).at(0), shape, 1)};
}

Tensors identity(const Call& call) { return {call.value(0)}; }

Types inferReshape(const Call& call) { return {{call.elementType(0), reshapedShape(call)}}; }
Tensors reshape(const Call& call) { return {call.value(0).reshaped(reshapedShape(call))}; }

Types inferTranspose(const Call& call) {
  Shape shape;
  for (const std::size_t axis : permutation(call)) shape.push_back(call.shape(0)[axis]);
  return {{call.elementType(0), shape}};
}
Tensors transpose(const Call& call) { return {numerics::transpose(call.value(0), permutation(call))}; }

Types inferTile(const Call& call) {
  const std::vector<std::int64_t> repeats = call.value(1).toIntegers();
  Shape shape = call.shape(0);
  requireCount("the list of repeats of Tile", repeats.size(), shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = numerics::elementCount({shape[i], repeats[i]});
  return {{call.elementType(0), shape}};
}
Tensors tile(const Call& call) { return {numerics::tile(call.value(0), call.value(1).toIntegers())}; }

Shape expandShape(const Call& call) { return numerics::broadcast(call.shape(0), call.value(1).toIntegers()); }
Types inferExpand(const Call& call) { return {{call.elementType(0), expandShape(call)}}; }
Tensors expand(const Call& call) { return {numerics::expand(call.value(0), expandShape(call))}; }

std::int64_t blockSize(const Call& call) {
  const std::int64_t block = call.attributes().requiredInteger("blocksize");
  if (block < 1 || block > 4096) refuseNode("the block size must be 1 to 4096, not " + std::to_string(block));
  requireCount("the input", call.shape(0).size(), 4, "dimension");
  return block;
}
Types inferDepthToSpace(const Call& call) {
  const std::int64_t b = blockSize(call);
  const Shape& x = call.shape(0);
  return {{call.elementType(0), {x[0], x[1] / (b * b), x[2] * b, x[3] * b}}};
}
Tensors depthToSpace(const Call& call) {
  return {numerics::depthToSpace(call.value(0), blockSize(call), call.attributes().text("mode", "DCR") == "CRD")};
}
Types inferSpaceToDepth(const Call& call) {
  const std::int64_t b = blockSize(call);
  const Shape& x = call.shape(0);
  return {{call.elementType(0), {x[0], x[1] * b * b, x[2] / b, x[3] / b}}};
}
Tensors spaceToDepth(const Call& call) { return {numerics::spaceToDepth(call.value(0), blockSize(call))}; }

Tensors triangle(const Call& call) {
  const std::int64_t k = call.has(1) ? call.value(1).integerAt(0) : 0;
  return {numerics::triangle(call.value(0), call.attributes().integer("upper", 1) != 0, k)};
}

Tensors reverseSequence(const Call& call) {
  const auto batch = std::size_t(call.attributes().integer("batch_axis", 1));
  const auto time = std::size_t(call.attributes().integer("time_axis", 0));
  return {numerics::reverseSequence(call.value(0), call.value(1).toIntegers(), batch, time)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// Starts from zeros and adds each row at its original position (popops multiUpdateAdd), found with the forward operator.
void lowerMovementGrad(NodeLowering& n) {
  Node forward = forwardNode(n.call());
  forward.outputs = {"to"};
  forward.inputs = {"0"};
  std::unordered_map<std::string, HostTensor> known;
  std::vector<Tensor> more;
  std::vector<std::string> names{"0"};
  const std::size_t used = forward.opType == "Pad" ? 2 : n.call().inputCount(); // the pad value has no position
  for (std::size_t i = 1; i < n.call().inputCount(); ++i) {
    if (i < used) forward.inputs.push_back(n.has(i) ? std::to_string(i) : "");
    if (!n.has(i) || i >= used) continue;
    if (n.call().isKnown(i)) {
      known[std::to_string(i)] = n.call().value(i);
    } else {
      more.push_back(n.input(i));
      names.push_back(std::to_string(i));
    }
  }
  const auto where = partKernel(n, [forward, known, names](const Tensors& in) {
    auto values = known;
    for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = in[i];
    return evaluateNode(forward, values).at(0);
  });
  n.give(ops::moveBack(n.builder(), n.input(0), more, n.outputShape(), where));
}

void lowerView(NodeLowering& n) { n.giveView(n.input(0)); }

// Copies to a linear layout, because a product returns elements in groups of 16 channels.
void lowerRemap(NodeLowering& n) {
  constexpr std::int64_t kChannelsTogether = 16;
  giveMoved(n, {0}, std::min(kChannelsTogether, lastDimension(n)));
}

void lowerTranspose(NodeLowering& n) {
  const Tensor x = n.input(0);
  const auto order = permutation(n.call());
  // Moving a dimension of extent 1 does not move elements.
  std::size_t last = 0;
  bool ordered = true;
  for (const std::size_t axis : order) {
    if (x.dim(axis) == 1) continue;
    ordered = ordered && axis >= last;
    last = axis;
  }
  if (ordered) return n.giveView(x);
  n.give(ops::transpose(n.builder(), x, order));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

// The factor comes from unit scaling (placement/unit_scaling.h).
void identity(const GradientCall& c) { c.give(0, c.graph().scaled(c.gradient(), real(c.call(), kUnitInput, 1))); }
// Training uses the value as a constant: no gradient.
void detach(const GradientCall&) {}

// The operator is its own inverse, so it also moves the gradient back.
void ownGradient(const GradientCall& c) {
  std::vector<std::string> inputs = c.node().inputs;
  inputs[0] = c.gradient();
  c.give(0, c.graph().add(c.node().opType, inputs, c.call().attributes()));
}

void remapBack(const GradientCall& c) { c.give(0, c.graph().addOwn("Remap", {c.gradient()})); }

void reshapeBack(const GradientCall& c) {
  if (c.wants(0)) c.give(0, c.graph().reshape(c.gradient(), c.call().shape(0)));
}

void transposeBack(const GradientCall& c) {
  const auto order = permutation(c.call());
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) inverse[order[i]] = std::int64_t(i);
  c.give(0, c.graph().transpose(c.gradient(), inverse));
}

void expandBack(const GradientCall& c) {
  if (c.wants(0)) c.give(0, c.graph().reduceTo(c.gradient(), c.call().shape(0)));
}

constexpr Operator kLayoutOperators[] = {
    {"DepthToSpace", 1, inferDepthToSpace, depthToSpace, lowerMove, moveBack},
    {"Detach", 1, inferSame, identity, lowerView, detach, kView, kOwnDomain},
    {"Expand", 8, inferExpand, expand, lowerMove, expandBack},
    {"Flatten", 1, inferReshape, reshape, lowerView, reshapeBack, kView},
    {"Identity", 1, inferSame, identity, lowerView, identity, kView},
    {"Remap", 1, inferSame, identity, lowerRemap, remapBack, kPlain, kOwnDomain},
    {"Reshape", 1, inferReshape, reshape, lowerView, reshapeBack, kView},
    {"ReverseSequence", 10, inferSame, reverseSequence, lowerMove, ownGradient},
    {"SpaceToDepth", 1, inferSpaceToDepth, spaceToDepth, lowerMove, moveBack},
    {"Squeeze", 1, inferReshape, reshape, lowerView, reshapeBack, kView},
    {"Tile", 6, inferTile, tile, lowerMove, moveBack},
    {"Transpose", 1, inferTranspose, transpose, lowerTranspose, transposeBack},
    {"Trilu", 14, inferSame, triangle, lowerMove, ownGradient},
    {"Unsqueeze", 1, inferReshape, reshape, lowerView, reshapeBack, kView},
    {"MovementGrad", 1, inferShape, movementGrad, lowerMovementGrad, nullptr, kPlain, kOwnDomain},
};

} // namespace

void giveMoved(NodeLowering& n, const std::vector<std::size_t>& from, std::int64_t run, std::size_t output, std::size_t movable,
               double fill) {
  std::vector<Tensor> inputs;
  for (const std::size_t i : from) inputs.push_back(n.input(i));
  n.give(ops::move(n.builder(), n.node().opType, inputs, n.outputType(output), n.outputShape(output),
                   std::max<std::int64_t>(1, run), {n.hostKernel(from, output), movable, fill}),
         output);
}

std::int64_t lastDimension(NodeLowering& n) { return n.outputShape().empty() ? 1 : n.outputShape().back(); }

void lowerMove(NodeLowering& n) {
  std::vector<std::size_t> from{0};
  for (std::size_t i = 1; i < n.call().inputCount(); ++i)
    if (n.has(i) && !n.call().isKnown(i)) from.push_back(i);
  giveMoved(n, from, lastDimension(n), 0, 1);
}

void giveReversed(const GradientCall& c, const char* gradientOperator) {
  if (!c.wants(0)) return;
  Attributes a = c.call().attributes();
  a.set("forward", c.node().opType);
  a.set("forward_opset", std::int64_t(c.node().opset));
  a.set("shape", c.call().shape(0));
  std::vector<std::string> inputs = c.node().inputs;
  inputs[0] = c.gradient();
  c.give(0, c.graph().addOwn(gradientOperator, inputs, a));
}

Node forwardNode(const Call& gradient) {
  Node forward;
  forward.opType = gradient.attributes().text("forward", "");
  forward.name = gradient.node().name;
  forward.opset = int(gradient.attributes().requiredInteger("forward_opset"));
  forward.attributes = gradient.attributes();
  for (const char* own : {"forward", "forward_opset", "shape", "value"}) forward.attributes.all().erase(own);
  return forward;
}

void moveBack(const GradientCall& c) { giveReversed(c, "MovementGrad"); }

std::span<const Operator> layoutOperators() { return kLayoutOperators; }

} // namespace simcore::model
