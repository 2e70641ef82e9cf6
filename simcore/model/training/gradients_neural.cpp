// Gradients of convolutions, products and pooling.
#include "simcore/model/parameters.h"
#include "simcore/model/training/gradient.h"

namespace simcore::model {

using numerics::Shape;

namespace {

// A window with everything explicit.
void setWindow(Attributes& a, const numerics::Window& w) {
  std::vector<std::int64_t> pads = w.padsBefore;
  pads.insert(pads.end(), w.padsAfter.begin(), w.padsAfter.end());
  a.set("kernel_shape", w.kernel);
  a.set("strides", w.strides);
  a.set("dilations", w.dilations);
  a.set("pads", pads);
}

void biasBack(const GradientCall& c) {
  if (!c.wants(2)) return;
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < c.graph().shape(c.gradient()).size(); ++i)
    if (i != 1) axes.push_back(std::int64_t(i));
  c.give(2, c.graph().reduce("ReduceSum", c.gradient(), axes, false));
}

void convolutionBack(const GradientCall& c) {
  const ConvolutionParameters p = convolutionParameters(c.call());
  Attributes a = attributes({{"group", p.groups}});
  setWindow(a, p.window);
  if (c.wants(0)) {
    a.set("shape", c.call().shape(0));
    c.give(0, c.graph().addOwn("ConvDataGrad", {c.gradient(), c.input(1)}, a));
  }
  if (c.wants(1)) {
    a.set("shape", c.call().shape(1));
    c.give(1, c.graph().addOwn("ConvWeightsGrad", {c.input(0), c.gradient()}, a));
  }
  biasBack(c);
}

// The transposed convolution is the data gradient of a convolution, so its own is a convolution, and the roles of input and
// output change places in that of the weights.
void transposedConvolutionBack(const GradientCall& c) {
  const ConvolutionParameters p = transposedConvolutionParameters(c.call());
  Attributes a = attributes({{"group", p.groups}});
  setWindow(a, p.window);
  if (c.wants(0)) {
    std::string dx = c.graph().add("Conv", {c.gradient(), c.input(1)}, a);
    if (c.graph().shape(dx) != c.call().shape(0)) c.fail("its output padding is as large as its stride");
    c.give(0, dx);
  }
  if (c.wants(1)) {
    a.set("shape", c.call().shape(1));
    c.give(1, c.graph().addOwn("ConvWeightsGrad", {c.gradient(), c.input(0)}, a));
  }
  biasBack(c);
}

Attributes gemmAttributes(bool transposeA, bool transposeB, double alpha = 1) {
  return attributes({{"transA", std::int64_t(transposeA)}, {"transB", std::int64_t(transposeB)}, {"alpha", float(alpha)}});
}

void gemmBack(const GradientCall& c) {
  const Attributes& a = c.call().attributes();
  const bool ta = a.integer("transA", 0) != 0, tb = a.integer("transB", 0) != 0;
  const double alpha = double(a.real("alpha", 1));
  const std::string dy = c.gradient();
  if (c.wants(0))
    c.give(0, ta ? c.graph().add("Gemm", {c.input(1), dy}, gemmAttributes(tb, true, alpha))
                 : c.graph().add("Gemm", {dy, c.input(1)}, gemmAttributes(false, !tb, alpha)));
  if (c.wants(1))
    c.give(1, tb ? c.graph().add("Gemm", {dy, c.input(0)}, gemmAttributes(true, ta, alpha))
                 : c.graph().add("Gemm", {c.input(0), dy}, gemmAttributes(!ta, false, alpha)));
  if (c.wants(2)) c.give(2, c.graph().reduceTo(c.graph().scaled(dy, double(a.real("beta", 1))), c.call().shape(2)));
}

std::string swapped(const GradientCall& c, const std::string& x) {
  std::vector<std::int64_t> order;
  const std::size_t rank = c.graph().shape(x).size();
  for (std::size_t i = 0; i < rank; ++i) order.push_back(std::int64_t(i));
  std::swap(order[rank - 1], order[rank - 2]);
  return c.graph().transpose(x, order);
}

void matmulBack(const GradientCall& c) {
  Shape a = c.call().shape(0), b = c.call().shape(1);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const std::int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  GraphBuilder& g = c.graph();
  if (b.size() == 2) { // one matrix on the right: everything before it is rows
    const std::int64_t rows = numerics::elementCount(a) / std::max<std::int64_t>(1, k);
    const std::string dy = g.reshape(c.gradient(), {rows, n});
    if (c.wants(0))
      c.give(0, g.reshape(g.add("Gemm", {dy, g.reshape(c.input(1), b)}, gemmAttributes(false, true)), c.call().shape(0)));
    if (c.wants(1))
      c.give(1, g.reshape(g.add("Gemm", {g.reshape(c.input(0), {rows, k}), dy}, gemmAttributes(true, false)), c.call().shape(1)));
    return;
  }
  Shape batch = numerics::broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  const auto matrices = [&](std::int64_t rows, std::int64_t columns) {
    Shape s = batch;
    s.push_back(rows);
    s.push_back(columns);
    return s;
  };
  const std::string dy = g.reshape(c.gradient(), matrices(m, n));
  if (c.wants(0)) c.give(0, g.reshape(g.reduceTo(g.add("MatMul", {dy, swapped(c, c.input(1))}), a), c.call().shape(0)));
  if (c.wants(1)) c.give(1, g.reduceTo(g.add("MatMul", {swapped(c, g.reshape(c.input(0), a)), dy}), b));
}

Attributes poolAttributes(const GradientCall& c) {
  const PoolParameters p = poolParameters(c.call());
  Attributes a = attributes(
      {{"ceil_mode", std::int64_t(p.ceiling)}, {"count_include_pad", std::int64_t(p.countPads)}, {"shape", c.call().shape(0)}});
  setWindow(a, p.window);
  return a;
}
void maxPoolBack(const GradientCall& c) {
  c.give(0, c.graph().addOwn("MaxPoolGrad", {c.input(0), c.output(), c.gradient()}, poolAttributes(c)));
}
void averagePoolBack(const GradientCall& c) { c.give(0, c.graph().addOwn("AveragePoolGrad", {c.gradient()}, poolAttributes(c))); }

constexpr GradientEntry kNeuralGradients[] = {
    {"Conv", convolutionBack}, {"ConvTranspose", transposedConvolutionBack},
    {"Gemm", gemmBack},        {"MatMul", matmulBack},
    {"MaxPool", maxPoolBack},  {"AveragePool", averagePoolBack},
};

} // namespace

std::span<const GradientEntry> neuralGradients() { return kNeuralGradients; }

} // namespace simcore::model
