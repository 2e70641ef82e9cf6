// Convolutions, products, pooling and reductions: nodes with a planner.
#include "simcore/model/convolution_geometry.h"
#include "simcore/model/lowering_scope.h"
#include "simcore/model/lowering_support.h"
#include "simcore/model/node_lowering.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"

#include <optional>
#include <set>

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::Shape;

namespace {

// What has no planner, such as transposed convolutions over three dimensions: its products are counted as a generic op.
void lowerVolume(NodeLowering& n, std::int64_t products) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    if (n.has(i)) inputs.push_back(n.input(i));
  n.give(
      ops::generate(n.time(), n.node().opType, inputs, n.outputType(), n.outputShape(), std::max<std::int64_t>(1, products), {}));
}

// The window of the last two field dimensions of three, and that of the first.
numerics::Window planeWindow(const numerics::Window& w) {
  const auto tail = [](const std::vector<std::int64_t>& v) { return std::vector<std::int64_t>(v.begin() + 1, v.end()); };
  return {tail(w.kernel), tail(w.strides), tail(w.dilations), tail(w.padsBefore), tail(w.padsAfter)};
}
ops::DepthWindow depthWindow(const numerics::Window& w, std::int64_t in, std::int64_t out) {
  return {in, out, w.kernel[0], w.strides[0], w.dilations[0], w.padsBefore[0], w.padsAfter[0]};
}

Tensor volumeConvolution(NodeLowering& n, const ConvolutionParameters& c) {
  const Tensor x = n.input(0), w = n.input(1);
  ops::ConvParams plane = convolutionGeometry(x, w, planeWindow(c.window), c.groups);
  plane.in = {x.dim(3), x.dim(4)};
  return ops::volumeConvolution(n.parts(), x, w, plane, depthWindow(c.window, x.dim(2), n.outputShape()[2]), planOptions(n));
}

void lowerConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call());
  if (c.window.dimensions() == 3) {
    const Tensor y = volumeConvolution(n, c);
    if (n.has(2)) ops::addBias(n.parts(), y, n.input(2));
    return n.give(y);
  }
  const Tensor x = asImage(n.input(0)), w = asImage(n.input(1));
  const Tensor y = ops::convolution(n.parts(), x, w, convolutionGeometry(x, w, c.window, c.groups), {}, planOptions(n));
  if (n.has(2)) ops::addBias(n.parts(), y, n.input(2));
  n.give(y);
}

// As a convolution over the input with zeros put between its elements.
void lowerTransposedConvolution(NodeLowering& n) {
  ConvolutionParameters c = transposedConvolutionParameters(n.call());
  const Shape& weights = n.call().shape(1);
  if (c.window.dimensions() > 2) return lowerVolume(n, numerics::elementCount(weights, 1, weights.size()));
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
  const bool insertsZeros = stride[0] > 1 || stride[1] > 1 || zeros.shape != x.shape();
  if (insertsZeros) x = insertZeros(n, x, zeros);
  const Tensor turned = w.reshape({w.dim(1) * c.groups, w.dim(0) / c.groups, w.dim(2), w.dim(3)});
  ops::ConvParams p =
      convolutionGeometry(x, turned, numerics::makeWindow({kernel[0], kernel[1]}, {}, {dilation[0], dilation[1]}, {}), c.groups);
  ops::ConvOptions options = planOptions(n);
  options.arrangeWeights = [shape = w.shape(), groups = c.groups](const numerics::HostTensor& v) {
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
      options.arrangeWeights = [shape = right.shape()](const numerics::HostTensor& v) {
        return numerics::transpose(v.reshaped(shape), {1, 0});
      };
      right = right.reshape({right.dim(1), right.dim(0)});
    } else {
      right = right.transpose();
    }
  }
  if (alpha != 1) options.arrangeResult = [alpha](const numerics::HostTensor& v) { return scaled(v, alpha); };
  Tensor y = ops::matmul(n.parts(), left, right, {}, options);
  if (n.has(2) && beta != 0) {
    const Tensor c = n.input(2);
    if (c.numElements() == y.dim(1) && c.rank() > 0 && c.shape().back() == y.dim(1) && beta == 1)
      ops::addBias(n.parts(), y, c.flatten(), 1);
    else
      ops::mapInPlace(n.parts(), "add", {{BinaryOp::Add, y.elementType()}}, {y, c},
                      n.byVertices() ? ops::oneResult([beta](const std::vector<numerics::HostTensor>& in) {
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
  if (windowExceedsTile(n, p.window)) return lowerVolume(n, numerics::elementCount(p.window.kernel));
  const bool volume = p.window.dimensions() == 3;
  if (p.window.dimensions() > 3 || (volume && n.call().wantsOutput(1))) return lowerGeneric(n);
  const std::string& type = n.node().opType;
  const numerics::Window window = volume ? planeWindow(p.window) : p.window;
  ops::PoolParams pool;
  pool.kind = type == "MaxPool" ? codelets::PoolKind::Max : codelets::PoolKind::Average;
  pool.kernel = windowPair(window.kernel, 1);
  pool.stride = windowPair(window.strides, 1);
  pool.dilation = windowPair(window.dilations, 1);
  pool.padLow = windowPair(window.padsBefore, 0);
  pool.padHigh = windowPair(window.padsAfter, 0);
  pool.countPads = p.countPads;
  pool.columnMajor = p.columnMajor;
  if (type == "LpPool" || type == "GlobalLpPool") pool.power = double(n.call().attributes().integer("p", 2));
  const Shape& out = n.outputShape();
  pool.out = {out.size() == 3 ? 1 : out[out.size() - 2], out.back()};
  if (volume) {
    const Tensor x = n.input(0);
    return n.give(ops::volumePool(n.parts(), x, pool, depthWindow(p.window, x.dim(2), out[2])));
  }
  const Tensor x = asImage(n.input(0));
  Tensor indices;
  n.give(ops::pool(n.parts(), x, pool, {}, n.call().wantsOutput(1) ? &indices : nullptr));
  if (indices.valid()) n.give(indices, 1);
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
  const auto mapped = [&](const Tensor& t, UnaryOp op) { return ops::unary(n.parts(), op, t); };
  if (p.axes.empty())
    return n.give(ops::map(n.parts(), type, {{UnaryOp::Absolute, element}}, {x}, element, x.shape(), n.own({0})));
  if (type == "ReduceL1") x = mapped(x, UnaryOp::Absolute);
  if (type == "ReduceLogSumExp") x = mapped(x, UnaryOp::Exp);
  ReduceOp op = ReduceOp::Add;
  if (type == "ReduceMax" || type == "GlobalMaxPool") op = ReduceOp::Maximum;
  if (type == "ReduceMin") op = ReduceOp::Minimum;
  if (type == "ReduceProd") op = ReduceOp::Multiply;
  if (type == "ReduceL2" || type == "ReduceSumSquare") op = ReduceOp::SquareAdd;
  Tensor y = ops::reduce(n.parts(), x, p.axes, op, p.keepDims);
  if (type == "ReduceMean" || type == "GlobalAveragePool") {
    const double count = double(x.numElements()) / double(std::max<std::int64_t>(1, y.numElements()));
    ops::mapInPlace(n.parts(), "scale", {{BinaryOp::Multiply, element}}, {y},
                    n.byVertices() ? ops::oneResult([count](const std::vector<numerics::HostTensor>& in) {
                      return numerics::binary(numerics::BinaryKind::Div, in[0],
                                              numerics::HostTensor::full(in[0].type(), {}, count));
                    })
                                   : ops::HostKernel{});
  }
  if (type == "ReduceL2") y = mapped(y, UnaryOp::Sqrt);
  if (type == "ReduceLogSum" || type == "ReduceLogSumExp") y = mapped(y, UnaryOp::Log);
  n.give(y);
}

void lowerSoftmax(NodeLowering& n) {
  const SoftmaxParameters p = softmaxParameters(n.call());
  const Tensor x = n.input(0);
  const Tensor view = x.shape() == p.shape ? x : x.reshape(p.shape);
  n.give(ops::softmax(n.parts(), view, p.axis, n.node().opType == "LogSoftmax"));
}

// The letters of an equation of one or two operands without repeats or an ellipsis; nothing for any other.
struct Letters {
  std::vector<std::string> in;
  std::string out;
};
std::optional<Letters> lettersOf(std::string equation) {
  std::erase(equation, ' ');
  const auto arrow = equation.find("->");
  if (arrow == std::string::npos || equation.find('.') != std::string::npos) return {};
  Letters l{{}, equation.substr(arrow + 2)};
  const std::string left = equation.substr(0, arrow);
  const auto comma = left.find(',');
  l.in.push_back(left.substr(0, comma));
  if (comma != std::string::npos) l.in.push_back(left.substr(comma + 1));
  if (l.in.back().find(',') != std::string::npos) return {};
  for (const std::string& term : l.in)
    if (std::set<char>(term.begin(), term.end()).size() != term.size()) return {};
  return l;
}

// x with its letters in another order; dimensions that are not in it must not be there.
Tensor ordered(NodeLowering& n, const Tensor& x, const std::string& from, const std::string& to) {
  if (from == to) return x;
  std::vector<std::size_t> order;
  for (const char c : to) order.push_back(from.find(c));
  return ops::transpose(n.parts(), x, order);
}

// What only one operand has and the result lacks is summed first; then it is one product of groups of dimensions.
void lowerEinsum(NodeLowering& n) {
  const auto letters = lettersOf(n.call().attributes().text("equation", ""));
  if (!letters) return lowerGeneric(n);
  std::vector<Tensor> x;
  std::vector<std::string> in = letters->in;
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::vector<std::size_t> gone;
    std::string left;
    for (std::size_t d = 0; d < in[i].size(); ++d)
      if (letters->out.find(in[i][d]) == std::string::npos && (in.size() < 2 || in[1 - i].find(in[i][d]) == std::string::npos))
        gone.push_back(d);
      else
        left += in[i][d];
    x.push_back(gone.empty() ? n.input(i) : ops::reduce(n.parts(), n.input(i), gone, ReduceOp::Add, false));
    in[i] = left;
  }
  if (x.size() == 1) return n.give(ordered(n, x[0], in[0], letters->out));
  for (std::size_t d = 0; d < in[0].size(); ++d) { // an ellipsis may stand for a 1 that broadcasts
    const std::size_t other = in[1].find(in[0][d]);
    if (other == std::string::npos || x[0].dim(d) == x[1].dim(other)) continue;
    if (x[0].dim(d) == 1)
      x[0] = x[0].broadcast(x[1].dim(other), d);
    else
      x[1] = x[1].broadcast(x[0].dim(d), other);
  }
  std::string batch, rows, columns, inner;
  std::int64_t sizes[4] = {1, 1, 1, 1};
  Shape shape;
  for (std::size_t d = 0; d < in[0].size(); ++d) {
    const bool both = in[1].find(in[0][d]) != std::string::npos, kept = letters->out.find(in[0][d]) != std::string::npos;
    (both ? kept ? batch : inner : rows) += in[0][d];
    sizes[both ? kept ? 0 : 3 : 1] *= x[0].dim(d);
  }
  for (std::size_t d = 0; d < in[1].size(); ++d)
    if (in[0].find(in[1][d]) == std::string::npos) {
      columns += in[1][d];
      sizes[2] *= x[1].dim(d);
    }
  const Tensor a = ordered(n, x[0], in[0], batch + rows + inner).reshape({sizes[0], sizes[1], sizes[3]}),
               b = ordered(n, x[1], in[1], batch + inner + columns).reshape({sizes[0], sizes[3], sizes[2]});
  const std::string made = batch + rows + columns;
  for (const char c : made) {
    const auto at = in[0].find(c);
    shape.push_back(at != std::string::npos ? x[0].dim(at) : x[1].dim(in[1].find(c)));
  }
  n.give(ordered(n, ops::matmul(n.parts(), a, b, {}, planOptions(n)).reshape(shape), made, letters->out));
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
