// Convolutions, products, pooling, reductions, normalisations and recurrent layers: nodes with a planner.
#include "simcore/model/node_lowering.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/convolution.h"

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::Shape;

namespace {

// [N, C, W] as [N, C, 1, W]; images stay as they are.
Tensor asImage(const Tensor& x) {
  if (x.rank() != 3) return x;
  return x.reshape({x.dim(0), x.dim(1), 1, x.dim(2)});
}
// Two values of a window, the first standard for one-dimensional inputs.
std::array<std::int64_t, 2> pair(const std::vector<std::int64_t>& values, std::int64_t standard) {
  return values.size() == 1 ? std::array<std::int64_t, 2>{standard, values[0]}
                            : std::array<std::int64_t, 2>{values[0], values[1]};
}

ops::ConvParams convParams(const Tensor& x, const Tensor& weights, const numerics::Window& w, std::int64_t groups) {
  ops::ConvParams p;
  p.type = x.elementType();
  p.batch = x.dim(0);
  p.groups = groups;
  p.inChannels = weights.dim(1);
  p.outChannels = weights.dim(0) / groups;
  p.in = {x.dim(2), x.dim(3)};
  p.kernel = pair(w.kernel, 1);
  p.stride = pair(w.strides, 1);
  p.dilation = pair(w.dilations, 1);
  p.padLow = pair(w.padsBefore, 0);
  p.padHigh = pair(w.padsAfter, 0);
  return p;
}

// A third spatial dimension has no planner: its products are counted as a generic op.
void lowerVolume(NodeLowering& n, std::int64_t products) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    if (n.has(i)) inputs.push_back(n.input(i));
  n.give(
      ops::generic(n.time(), n.node().opType, inputs, n.outputType(), n.outputShape(), std::max<std::int64_t>(1, products), {}));
}

void lowerConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call());
  const Shape& weights = n.call().shape(1);
  if (c.window.dimensions() > 2) return lowerVolume(n, numerics::elementCount(weights, 1, weights.size()));
  const Tensor x = asImage(n.input(0)), w = asImage(n.input(1));
  const Tensor y = ops::convolution(n.time(), x, w, convParams(x, w, c.window, c.groups));
  if (n.has(2)) ops::addBias(n.time(), y, n.input(2));
  n.give(y);
}

// As a convolution over the input with zeros put between its elements.
void lowerTransposedConvolution(NodeLowering& n) {
  ConvolutionParameters c = transposedConvolutionParameters(n.call());
  const Shape& weights = n.call().shape(1);
  if (c.window.dimensions() > 2) return lowerVolume(n, numerics::elementCount(weights, 1, weights.size()));
  Tensor x = asImage(n.input(0));
  const Tensor w = asImage(n.input(1));
  const auto stride = pair(c.window.strides, 1);
  const Shape& out = n.outputShape();
  const Shape field = out.size() == 3 ? Shape{1, out[2]} : Shape{out[2], out[3]};
  const auto kernel = pair(c.window.kernel, 1), dilation = pair(c.window.dilations, 1);
  Shape stuffed{x.dim(0), x.dim(1), 0, 0};
  for (std::size_t d = 0; d < 2; ++d) stuffed[2 + d] = field[d] + (kernel[d] - 1) * dilation[d]; // pads included
  const bool insertsZeros = stride[0] > 1 || stride[1] > 1 || stuffed != x.shape();
  if (insertsZeros) x = ops::move(n.time(), "insertZeros", {x}, x.elementType(), stuffed, 1, {});
  const Tensor turned = w.reshape({w.dim(1) * c.groups, w.dim(0) / c.groups, w.dim(2), w.dim(3)});
  ops::ConvParams p =
      convParams(x, turned, numerics::makeWindow({kernel[0], kernel[1]}, {}, {dilation[0], dilation[1]}, {}), c.groups);
  const Tensor y = ops::convolution(n.time(), x, turned, p);
  if (n.has(2)) ops::addBias(n.time(), y, n.input(2));
  n.give(y);
}

// Products want [.., m, k] x [.., k, n]; a right side of fewer batches is shared by all.
Tensor product(NodeLowering& n, const Tensor& a, const Tensor& b) {
  return ops::matmul(n.time(), a.rank() == 1 ? a.reshape({1, a.dim(0)}) : a, b.rank() == 1 ? b.reshape({b.dim(0), 1}) : b);
}
void lowerMatmul(NodeLowering& n) { n.give(product(n, n.input(0), n.input(1))); }

void lowerGemm(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  Tensor left = n.input(0), right = n.input(1);
  if (a.integer("transA", 0)) left = left.transpose();
  // A transposed weight stays one variable: its planner places it as it likes, whichever way it is read.
  if (a.integer("transB", 0))
    right = right.wholeVariable().valid() ? right.reshape({right.dim(1), right.dim(0)}) : right.transpose();
  Tensor y = ops::matmul(n.time(), left, right);
  if (n.has(2) && a.real("beta", 1) != 0) {
    const Tensor c = n.input(2);
    if (c.numElements() == y.dim(1))
      ops::addBias(n.time(), y, c.flatten(), 1);
    else
      ops::mapInPlace(n.time(), "add", {{BinaryOp::Add, y.elementType()}}, {y, c});
  }
  n.give(y);
}

void lowerPool(NodeLowering& n) {
  const PoolParameters p = poolParameters(n.call());
  if (p.window.dimensions() > 2 || n.call().wantsOutput(1)) return lowerGeneric(n);
  const Tensor x = asImage(n.input(0));
  ops::PoolParams pool;
  pool.kind = n.node().opType == "MaxPool" ? codelets::PoolKind::Max : codelets::PoolKind::Average;
  pool.kernel = pair(p.window.kernel, 1);
  pool.stride = pair(p.window.strides, 1);
  pool.dilation = pair(p.window.dilations, 1);
  pool.padLow = pair(p.window.padsBefore, 0);
  const Shape& out = n.outputShape();
  pool.out = out.size() == 3 ? std::array<std::int64_t, 2>{1, out[2]} : std::array<std::int64_t, 2>{out[2], out[3]};
  n.give(ops::pool(n.time(), x, pool));
}

// The reduction, the maps before and after it, by operator.
void lowerReduce(NodeLowering& n) {
  const std::string& type = n.node().opType;
  ReduceParameters p;
  if (type == "GlobalAveragePool" || type == "GlobalMaxPool") {
    for (std::size_t i = 2; i < n.call().shape(0).size(); ++i) p.axes.push_back(i);
  } else {
    p = reduceParameters(n.call());
  }
  Tensor x = n.input(0);
  const ElementType element = x.elementType();
  const auto mapped = [&](const Tensor& t, UnaryOp op) {
    return ops::map(n.time(), codelets::unaryOpName(op), {{op, element}}, {t}, element, t.shape());
  };
  if (p.axes.empty()) return n.give(ops::map(n.time(), type, {{UnaryOp::Absolute, element}}, {x}, element, x.shape()));
  if (type == "ReduceL1") x = mapped(x, UnaryOp::Absolute);
  if (type == "ReduceLogSumExp") x = mapped(x, UnaryOp::Exp);
  ReduceOp op = ReduceOp::Add;
  if (type == "ReduceMax" || type == "GlobalMaxPool") op = ReduceOp::Maximum;
  if (type == "ReduceMin") op = ReduceOp::Minimum;
  if (type == "ReduceProd") op = ReduceOp::Multiply;
  if (type == "ReduceL2" || type == "ReduceSumSquare") op = ReduceOp::SquareAdd;
  Tensor y = ops::reduce(n.time(), x, p.axes, op, p.keepDims);
  if (type == "ReduceMean" || type == "GlobalAveragePool")
    ops::mapInPlace(n.time(), "scale", {{BinaryOp::Multiply, element}}, {y});
  if (type == "ReduceL2") y = mapped(y, UnaryOp::Sqrt);
  if (type == "ReduceLogSum" || type == "ReduceLogSumExp") y = mapped(y, UnaryOp::Log);
  n.give(y);
}

void lowerSoftmax(NodeLowering& n) {
  const SoftmaxParameters p = softmaxParameters(n.call());
  const Tensor x = n.input(0);
  const Tensor view = x.shape() == p.shape ? x : x.reshape(p.shape);
  n.give(ops::softmax(n.time(), view, p.axis, n.node().opType == "LogSoftmax"));
}

void lowerBatchNorm(NodeLowering& n) {
  if (n.call().wantsOutput(1)) return lowerGeneric(n);
  // Scale and shift per channel; the statistics were folded into them on the host.
  const Tensor x = n.input(0), scale = n.input(1), shift = n.input(2);
  Shape channels(x.rank(), 1);
  if (x.rank() > 1) channels[1] = scale.numElements();
  const std::vector<MapStep> steps{{BinaryOp::Multiply, x.elementType()}, {BinaryOp::Add, x.elementType()}};
  const std::vector<Tensor> inputs{x, scale.reshape(channels), shift.reshape(channels)};
  if (n.mayOverwrite(0)) {
    ops::mapInPlace(n.time(), "batchNorm", steps, inputs);
    return n.give(x);
  }
  n.give(ops::map(n.time(), "batchNorm", steps, inputs, n.outputType(), n.outputShape()));
}

void lowerNormalise(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::string& type = n.node().opType;
  std::vector<std::size_t> axes;
  const std::size_t first = type == "LayerNormalization" ? axisOf(n.call(), -1, x.rank()) : 2;
  for (std::size_t i = first; i < x.rank(); ++i) axes.push_back(i);
  if (n.call().wantsOutput(1) || axes.empty()) return lowerGeneric(n);
  std::vector<Tensor> parameters;
  for (std::size_t i = 1; i < n.call().inputCount(); ++i)
    if (n.has(i)) parameters.push_back(n.input(i));
  n.give(ops::normalise(n.time(), x, axes, parameters, {}));
}

void lowerGroupNorm(NodeLowering& n) {
  n.give(ops::groupNorm(n.time(), n.input(0), n.input(1), n.input(2), n.call().attributes().requiredInteger("num_groups"),
                        n.call().attributes().real("epsilon", 1e-5f)));
}

// The log-probability of each target, then their sum.
Tensor selectTargets(NodeLowering& n, const Tensor& logs) {
  constexpr std::int64_t kCyclesPerRow = 10;
  const Tensor targets = n.input(1);
  const Tensor picked =
      ops::generic(n.time(), "selectScalarFromRows", {logs, targets}, n.outputType(), targets.shape(), kCyclesPerRow, {});
  if (n.call().attributes().text("reduction", "mean") == "none") return picked;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < picked.rank(); ++i) all.push_back(i);
  return ops::reduce(n.time(), picked, all, ReduceOp::Add, false);
}
void lowerLogLikelihood(NodeLowering& n) { n.give(selectTargets(n, n.input(0))); }
void lowerCrossEntropy(NodeLowering& n) {
  const Tensor logs = ops::softmax(n.time(), n.input(0), 1, true);
  n.give(selectTargets(n, logs), 0);
  if (n.call().wantsOutput(1)) n.give(logs, 1);
}

void lowerLocalResponse(NodeLowering& n) {
  // A square, a window sum over channels, a power and a product.
  const Tensor x = n.input(0);
  const std::int64_t size = n.call().attributes().requiredInteger("size");
  const Tensor sums =
      ops::generic(n.time(), "channelWindowSum", {x}, x.elementType(), x.shape(), std::clamp<std::int64_t>(2 * size, 2, 64), {});
  const std::vector<MapStep> steps{{BinaryOp::Multiply, x.elementType()},
                                   {BinaryOp::Add, x.elementType()},
                                   {BinaryOp::Power, x.elementType()},
                                   {BinaryOp::Multiply, x.elementType()}};
  n.give(ops::map(n.time(), "lrn", steps, {x, sums}, n.outputType(), n.outputShape()));
}

// One product for all inputs at once, then per step the recurrent product and the gates.
void lowerRecurrent(NodeLowering& n) {
  const bool batchFirst = n.call().attributes().integer("layout", 0) != 0;
  const Tensor x = n.input(0), weights = n.input(1), recurrence = n.input(2);
  const std::int64_t steps = x.dim(batchFirst ? 1 : 0), batch = x.dim(batchFirst ? 0 : 1), inputs = x.dim(2);
  const std::int64_t directions = weights.dim(0), rows = weights.dim(1), hidden = recurrence.dim(2);
  const ElementType type = x.elementType();
  const auto state = [&](const std::string& name) {
    const Tensor t = n.time().graph().addVariable(type, {batch, hidden}, name, n.time().context());
    n.time().mapLinearly(t);
    return t;
  };
  const Tensor h = state("hidden"), c = state("cell");
  for (std::int64_t d = 0; d < directions; ++d) {
    const auto one = [&](const Tensor& w, std::int64_t k) { return w.slice(d, d + 1, 0).reshape({k, rows}); };
    const Tensor projected = ops::matmul(n.time(), x.reshape({steps * batch, inputs}), one(weights, inputs));
    graph::Sequence body;
    const ops::OpBuilder step = n.time().into(body);
    const Tensor gates = ops::matmul(step, h, one(recurrence, hidden));
    ops::mapInPlace(step, "gates", {{BinaryOp::Add, type}, {UnaryOp::Sigmoid, type}}, {gates, projected.slice(0, batch, 0)});
    ops::mapInPlace(step, "state", {{BinaryOp::Multiply, type}, {BinaryOp::Multiply, type}, {BinaryOp::Add, type}},
                    {c, gates.slice(0, hidden, 1)});
    ops::mapInPlace(step, "output", {{UnaryOp::Tanh, type}, {BinaryOp::Multiply, type}}, {h, c});
    n.time().program().add(graph::program::repeat(steps, body, n.node().opType + " steps", n.time().context()));
  }
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i)
    if (n.call().wantsOutput(i)) n.give(ops::move(n.time(), "collect", {h}, n.outputType(i), n.outputShape(i), hidden, {}), i);
}

constexpr LoweringEntry kEntries[] = {
    {"Conv", lowerConvolution},
    {"ConvTranspose", lowerTransposedConvolution},
    {"MatMul", lowerMatmul},
    {"Gemm", lowerGemm},
    {"MaxPool", lowerPool},
    {"AveragePool", lowerPool},
    {"LpPool", lowerPool},
    {"GlobalAveragePool", lowerReduce},
    {"GlobalMaxPool", lowerReduce},
    {"ReduceSum", lowerReduce},
    {"ReduceMean", lowerReduce},
    {"ReduceMax", lowerReduce},
    {"ReduceMin", lowerReduce},
    {"ReduceProd", lowerReduce},
    {"ReduceL1", lowerReduce},
    {"ReduceL2", lowerReduce},
    {"ReduceLogSum", lowerReduce},
    {"ReduceLogSumExp", lowerReduce},
    {"ReduceSumSquare", lowerReduce},
    {"Softmax", lowerSoftmax},
    {"LogSoftmax", lowerSoftmax},
    {"BatchNormalization", lowerBatchNorm},
    {"InstanceNormalization", lowerNormalise},
    {"LayerNormalization", lowerNormalise},
    {"LRN", lowerLocalResponse},
    {"GroupNormalization", lowerGroupNorm},
    {"NegativeLogLikelihoodLoss", lowerLogLikelihood},
    {"SoftmaxCrossEntropyLoss", lowerCrossEntropy},
    {"LSTM", lowerRecurrent},
    {"GRU", lowerRecurrent},
    {"RNN", lowerRecurrent},
};

} // namespace

std::span<const LoweringEntry> neuralLowerings() { return kEntries; }

} // namespace simcore::model
