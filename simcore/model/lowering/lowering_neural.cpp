// Convolutions, products, pooling and reductions: nodes with a planner.
#include "simcore/model/lowering/convolution_geometry.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/lowering/node_lowering.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/einsum.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"

#include <optional>
#include <string>

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

void lowerConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call());
  const Tensor y = convolved(n, n.parts(), n.input(0), n.input(1), c);
  if (n.has(2)) ops::addBias(n.parts(), y, n.input(2));
  n.give(y);
}

// As a convolution over the input with zeros put between its elements.
void lowerTransposedConvolution(NodeLowering& n) {
  ConvolutionParameters c = transposedConvolutionParameters(n.call());
  if (c.window.dimensions() == 3) {
    const Tensor y = transposedVolume(n, n.input(0), n.input(1), c, n.outputShape());
    if (n.has(2)) ops::addBias(n.parts(), y, n.input(2));
    return n.give(y);
  }
  Tensor x = asImage(n.input(0));
  const Tensor w = asImage(n.input(1));
  const auto stride = windowPair(c.window.strides, 1), pads = windowPair(c.window.padsBefore, 0);
  const Shape& out = n.outputShape();
  const Shape field = out.size() == 3 ? Shape{1, out[2]} : Shape{out[2], out[3]};
  const auto kernel = windowPair(c.window.kernel, 1), dilation = windowPair(c.window.dilations, 1);
  ZeroInsertion zeros{{x.dim(0), x.dim(1), 0, 0}, stride, {}};
  for (std::size_t d = 0; d < 2; ++d) { // pads included
    const std::int64_t reach = (kernel[d] - 1) * dilation[d];
    zeros.shape[2 + d] = field[d] + reach;
    zeros.first[d] = reach - pads[d];
  }
  x = insertZeros(n, x, zeros);
  const Tensor turned = w.reshape({w.dim(1) * c.groups, w.dim(0) / c.groups, w.dim(2), w.dim(3)});
  ops::ConvParams p =
      convolutionGeometry(x, turned, numerics::makeWindow({kernel[0], kernel[1]}, {}, {dilation[0], dilation[1]}, {}), c.groups);
  ops::ConvOptions options = planOptions(n);
  options.arrangeWeights = [shape = w.shape(), groups = c.groups](const HostTensor& v) {
    return turnedKernel(v.reshaped(shape), groups);
  };
  const Tensor y = ops::convolution(n.parts(), x, turned, p, {}, options);
  if (n.has(2)) ops::addBias(n.parts(), y, n.input(2));
  n.give(y);
}

// Products want [.., m, k] x [.., k, n]; a right side of fewer batches is shared by all.
Tensor product(NodeLowering& n, const Tensor& a, const Tensor& b) {
  return ops::matmul(n.parts(), a.rank() == 1 ? a.reshape({1, a.dim(0)}) : a, b.rank() == 1 ? b.reshape({b.dim(0), 1}) : b, {},
                     planOptions(n));
}
void lowerMatmul(NodeLowering& n) { n.give(product(n, n.input(0), n.input(1))); }

void lowerGemm(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  const double alpha = double(a.real("alpha", 1)), beta = double(a.real("beta", 1));
  Tensor left = n.input(0), right = n.input(1);
  ops::ConvOptions options = planOptions(n);
  if (a.integer("transA", 0)) left = left.transpose();
  // A transposed weight stays one variable: its planner places it as it likes, whichever way it is read.
  if (a.integer("transB", 0)) {
    if (right.wholeVariable().valid()) {
      options.arrangeWeights = [shape = right.shape()](const HostTensor& v) {
        return numerics::transpose(v.reshaped(shape), {1, 0});
      };
      right = right.reshape({right.dim(1), right.dim(0)});
    } else {
      right = right.transpose();
    }
  }
  if (alpha != 1) options.arrangeResult = [alpha](const HostTensor& v) { return scaled(v, alpha); };
  Tensor y = ops::matmul(n.parts(), left, right, {}, options);
  if (n.has(2) && beta != 0) {
    const Tensor c = n.input(2);
    if (c.numElements() == y.dim(1) && c.rank() > 0 && c.shape().back() == y.dim(1) && beta == 1)
      ops::addBias(n.parts(), y, c.flatten(), 1);
    else
      ops::mapInPlace(n.parts(), "add", {{BinaryOp::Add, y.elementType()}}, {y, c},
                      n.byVertices() ? ops::oneResult([beta](const std::vector<HostTensor>& in) {
                        return numerics::binary(numerics::BinaryKind::Add, in[0], scaled(in[1], beta));
                      })
                                     : ops::HostKernel{});
  }
  n.give(y);
}

// Tiles get the whole field that a window spans; one that is dilated over a large image would not fit.
bool windowExceedsTile(const NodeLowering& n, const numerics::Window& w) {
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < w.dimensions(); ++d) elements *= w.span(d);
  return elements * std::int64_t(numerics::deviceSize(n.outputType())) > n.time().tile().memory.value() / 4;
}

void lowerPool(NodeLowering& n) {
  const PoolParameters p = poolParameters(n.call());
  const bool volume = p.window.dimensions() == 3, separate = p.window.dimensions() > 3 || windowExceedsTile(n, p.window);
  const std::string& type = n.node().opType;
  Tensor indices;
  Tensor* const places = n.call().wantsOutput(1) ? &indices : nullptr;
  const Tensor x = n.input(0);
  const Shape& out = n.outputShape();
  ops::PoolParams pool;
  pool.kind = type == "MaxPool" ? codelets::PoolKind::Max : codelets::PoolKind::Average;
  pool.countPads = p.countPads;
  pool.columnMajor = p.columnMajor;
  if (type == "LpPool" || type == "GlobalLpPool") pool.power = double(n.call().attributes().integer("p", 2));
  if (separate) {
    std::vector<ops::DepthWindow> windows;
    for (numerics::Window rest = p.window; windows.size() < p.window.dimensions(); rest = planeWindow(rest))
      windows.push_back(depthWindow(rest, x.dim(2 + windows.size()), out[2 + windows.size()]));
    n.give(ops::separatePool(n.parts(), x, pool, windows, places));
  } else {
    const numerics::Window window = volume ? planeWindow(p.window) : p.window;
    pool.kernel = windowPair(window.kernel, 1);
    pool.stride = windowPair(window.strides, 1);
    pool.dilation = windowPair(window.dilations, 1);
    pool.padLow = windowPair(window.padsBefore, 0);
    pool.padHigh = windowPair(window.padsAfter, 0);
    pool.out = {out.size() == 3 ? 1 : out[out.size() - 2], out.back()};
    if (volume)
      n.give(ops::pool3d(n.parts(), x, pool, depthWindow(p.window, x.dim(2), out[2]), places));
    else
      n.give(ops::pool(n.parts(), asImage(x), pool, {}, places));
  }
  if (indices.valid()) n.give(indices, 1);
}

ReduceOp reduceOpOf(const std::string& type) {
  if (type == "ReduceMax" || type == "GlobalMaxPool") return ReduceOp::Maximum;
  if (type == "ReduceMin") return ReduceOp::Minimum;
  if (type == "ReduceProd") return ReduceOp::Multiply;
  return type == "ReduceL2" || type == "ReduceSumSquare" ? ReduceOp::SquareAdd : ReduceOp::Add;
}

// What makes a mean of a sum, a norm of a sum of squares, a logarithm of a sum.
struct AfterReduce {
  MapStep step;
  ops::HostKernel kernel;
};
std::optional<AfterReduce> afterReduce(const NodeLowering& n, double count, ElementType type) {
  const std::string& name = n.node().opType;
  const auto of = [&](numerics::UnaryKind kind) {
    return partKernel(n, [kind](const std::vector<HostTensor>& in) { return numerics::unary(kind, in[0]); });
  };
  if (name == "ReduceMean" || name == "GlobalAveragePool")
    return AfterReduce{{BinaryOp::Multiply, type}, partKernel(n, [count](const std::vector<HostTensor>& in) {
                         return numerics::binary(numerics::BinaryKind::Div, in[0], HostTensor::full(in[0].type(), {}, count));
                       })};
  if (name == "ReduceL2") return AfterReduce{{UnaryOp::Sqrt, type}, of(numerics::UnaryKind::Sqrt)};
  if (name.starts_with("ReduceLog")) return AfterReduce{{UnaryOp::Log, type}, of(numerics::UnaryKind::Log)};
  return {};
}

// The reduction, the maps before and after it, by operator. A sum of halves that is only on the way to something smaller stays
// float: it may be beyond what a half can be.
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
  if (p.axes.empty())
    return n.give(ops::map(n.parts(), type, {{UnaryOp::Absolute, element}}, {x}, element, x.shape(), n.own({0})));
  const std::int64_t count = x.numElements() / std::max<std::int64_t>(1, numerics::elementCount(n.outputShape()));
  const bool isWide = element == ElementType::Half && afterReduce(n, double(count), element);
  const ElementType sums = isWide ? ElementType::Float : element;
  if (type == "ReduceL1") x = ops::unary(n.parts(), UnaryOp::Absolute, x);
  if (type == "ReduceLogSumExp") {
    std::vector<MapStep> steps{{UnaryOp::Exp, sums}};
    if (isWide) steps.insert(steps.begin(), {codelets::CastTo{sums}, element});
    x = ops::map(n.parts(), "Exp", steps, {x}, sums, x.shape(), partKernel(n, [](const std::vector<HostTensor>& in) {
                   return numerics::unary(numerics::UnaryKind::Exp, in[0]);
                 }));
  }
  Tensor y = ops::reduce(n.parts(), x, p.axes, reduceOpOf(type), p.keepDims, {}, sums);
  if (const auto after = afterReduce(n, double(count), sums)) {
    if (isWide)
      y = ops::map(n.parts(), "scale", {after->step, {codelets::CastTo{element}, sums}}, {y}, element, y.shape(), after->kernel);
    else
      ops::mapInPlace(n.parts(), "scale", {after->step}, {y}, after->kernel);
  }
  n.give(y);
}

void lowerSoftmax(NodeLowering& n) {
  const SoftmaxParameters p = softmaxParameters(n.call());
  const Tensor x = n.input(0);
  const Tensor view = x.shape() == p.shape ? x : x.reshape(p.shape);
  n.give(ops::softmax(n.parts(), view, p.axis, n.node().opType == "LogSoftmax"));
}

// A tensor whose dimensions carry the labels of an Einsum.
struct Labelled {
  Tensor x;
  std::string labels;
};
bool carries(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

// x with its labels in another order, those that occur twice as their diagonal.
Labelled ordered(NodeLowering& n, const Labelled& given, const std::string& to) {
  if (given.labels == to) return given;
  if (given.labels.size() == to.size()) {
    std::vector<std::size_t> order;
    for (const char c : to) order.push_back(given.labels.find(c));
    return {ops::transpose(n.parts(), given.x, order), to};
  }
  std::string equation; // in letters, for labels of an ellipsis are none
  Shape shape;
  const auto letter = [&](char label) { return char('a' + given.labels.find(label)); };
  for (const char c : given.labels) equation += letter(c);
  equation += "->";
  for (const char c : to) {
    equation += letter(c);
    shape.push_back(given.x.dim(given.labels.find(c)));
  }
  return {
      ops::move(n.parts(), "diagonal", {given.x}, given.x.elementType(), shape, 1,
                {partKernel(n, [equation](const std::vector<HostTensor>& in) { return numerics::einsum(equation, {in[0]}); })}),
      to};
}
Labelled withoutRepeats(NodeLowering& n, const Labelled& given) {
  std::string once;
  for (const char c : given.labels)
    if (!carries(once, c)) once += c;
  return ordered(n, given, once);
}

// Summed over what nobody needs any more.
Labelled summed(NodeLowering& n, const Labelled& given, const std::string& needed) {
  std::vector<std::size_t> gone;
  std::string left;
  for (std::size_t d = 0; d < given.labels.size(); ++d)
    if (carries(needed, given.labels[d]))
      left += given.labels[d];
    else
      gone.push_back(d);
  return gone.empty() ? given : Labelled{ops::reduce(n.parts(), given.x, gone, ReduceOp::Add, false), left};
}

// One product of groups of dimensions.
Labelled product(NodeLowering& n, const Labelled& left, const Labelled& right, const std::string& needed) {
  Labelled in[2] = {summed(n, left, needed + right.labels), summed(n, right, needed + left.labels)};
  for (std::size_t d = 0; d < in[0].labels.size(); ++d) { // an ellipsis may stand for a 1 that broadcasts
    const std::size_t other = in[1].labels.find(in[0].labels[d]);
    if (other == std::string::npos || in[0].x.dim(d) == in[1].x.dim(other)) continue;
    if (in[0].x.dim(d) == 1)
      in[0].x = in[0].x.broadcast(in[1].x.dim(other), d);
    else
      in[1].x = in[1].x.broadcast(in[0].x.dim(d), other);
  }
  std::string batch, rows, columns, inner;
  std::int64_t sizes[4] = {1, 1, 1, 1};
  for (std::size_t d = 0; d < in[0].labels.size(); ++d) {
    const bool both = carries(in[1].labels, in[0].labels[d]), kept = carries(needed, in[0].labels[d]);
    (both ? kept ? batch : inner : rows) += in[0].labels[d];
    sizes[both ? kept ? 0 : 3 : 1] *= in[0].x.dim(d);
  }
  for (std::size_t d = 0; d < in[1].labels.size(); ++d)
    if (!carries(in[0].labels, in[1].labels[d])) {
      columns += in[1].labels[d];
      sizes[2] *= in[1].x.dim(d);
    }
  const Tensor a = ordered(n, in[0], batch + rows + inner).x.reshape({sizes[0], sizes[1], sizes[3]}),
               b = ordered(n, in[1], batch + inner + columns).x.reshape({sizes[0], sizes[3], sizes[2]});
  const std::string made = batch + rows + columns;
  Shape shape;
  for (const char c : made) {
    const auto at = in[0].labels.find(c);
    shape.push_back(at != std::string::npos ? in[0].x.dim(at) : in[1].x.dim(in[1].labels.find(c)));
  }
  return {ops::matmul(n.parts(), a, b, {}, planOptions(n)).reshape(shape), made};
}

// Operands are joined one after the other; what only one has and nobody needs is summed first.
void lowerEinsum(NodeLowering& n) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) shapes.push_back(n.call().shape(i));
  const numerics::EinsumTerms terms = numerics::einsumTerms(n.call().attributes().text("equation", ""), shapes);
  Labelled current = withoutRepeats(n, {n.input(0), terms.operands[0]});
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    std::string needed = terms.result;
    for (std::size_t k = i + 1; k < shapes.size(); ++k) needed += terms.operands[k];
    current = product(n, current, withoutRepeats(n, {n.input(i), terms.operands[i]}), needed);
  }
  current = ordered(n, summed(n, current, terms.result), terms.result);
  if (current.x.wholeVariable().valid() && current.x.wholeVariable() == n.input(0).wholeVariable()) return n.giveView(current.x);
  n.give(current.x);
}

constexpr LoweringEntry kNeuralLowerings[] = {
    {"Conv", lowerConvolution},       {"ConvTranspose", lowerTransposedConvolution},
    {"MatMul", lowerMatmul},          {"Gemm", lowerGemm},
    {"Einsum", lowerEinsum},          {"MaxPool", lowerPool},
    {"AveragePool", lowerPool},       {"LpPool", lowerPool},
    {"GlobalLpPool", lowerPool},      {"GlobalAveragePool", lowerReduce},
    {"GlobalMaxPool", lowerReduce},   {"ReduceSum", lowerReduce},
    {"ReduceMean", lowerReduce},      {"ReduceMax", lowerReduce},
    {"ReduceMin", lowerReduce},       {"ReduceProd", lowerReduce},
    {"ReduceL1", lowerReduce},        {"ReduceL2", lowerReduce},
    {"ReduceLogSum", lowerReduce},    {"ReduceLogSumExp", lowerReduce},
    {"ReduceSumSquare", lowerReduce}, {"Softmax", lowerSoftmax},
    {"LogSoftmax", lowerSoftmax},
};

} // namespace

std::span<const LoweringEntry> neuralLowerings() { return kNeuralLowerings; }

} // namespace simcore::model
