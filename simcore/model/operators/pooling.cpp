// Pools over a field, and their gradients, and MaxUnpool.
#include "simcore/numerics/pooling.h"
#include "simcore/model/operators/convolution.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/window.h"

#include <algorithm>

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

struct PoolParameters {
  numerics::Window window;
  bool ceiling = false, countPads = false, columnMajor = false;
};

PoolParameters poolParameters(const Call& call) {
  const Shape sizes = spatialOf(call.shape(0));
  PoolParameters parameters;
  if (call.node().opType.rfind("Global", 0) == 0) {
    parameters.window = numerics::makeWindow(sizes, {}, {}, {});
    return parameters;
  }
  const std::vector<std::int64_t> kernel = call.attributes().integers("kernel_shape");
  requireCount("the kernel for an input of " + numerics::toString(call.shape(0)), kernel.size(), sizes.size(), "dimension");
  parameters.window = windowOf(call.attributes(), kernel);
  parameters.ceiling = call.attributes().integer("ceil_mode", 0) != 0;
  parameters.countPads = call.attributes().integer("count_include_pad", 0) != 0;
  parameters.columnMajor = call.attributes().integer("storage_order", 0) != 0;
  numerics::resolveAutoPad(parameters.window, autoPad(call), sizes);
  return parameters;
}

Shape pooledShape(const Call& call) {
  const numerics::Window w = poolParameters(call).window;
  Shape shape = call.shape(0);
  for (std::size_t i = 0; i < w.dimensions(); ++i)
    shape[i + 2] = (shape[i + 2] - 1) * w.strides[i] + w.kernel[i] - w.padsBefore[i] - w.padsAfter[i];
  return shape;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

Tensors maxPoolGrad(const Call& call) {
  return {numerics::maxPoolGradient(call.value(0), call.value(2), windowOf(call.attributes()),
                                    call.attributes().integer("ceil_mode", 0) != 0)};
}
Tensors averagePoolGrad(const Call& call) {
  return {numerics::averagePoolGradient(call.value(0), shapeOf(call), windowOf(call.attributes()),
                                        call.attributes().integer("count_include_pad", 0) != 0)};
}

Types inferPool(const Call& call) {
  const PoolParameters p = poolParameters(call);
  const Shape shape = numerics::poolShape(call.shape(0), p.window, p.ceiling);
  return {{call.elementType(0), shape}, {ElementType::Int64, shape}};
}
Tensors maxPool(const Call& call) {
  const PoolParameters p = poolParameters(call);
  if (!call.wantsOutput(1)) return {numerics::maxPool(call.value(0), p.window, p.ceiling)};
  HostTensor indices;
  HostTensor values = numerics::maxPool(call.value(0), p.window, p.ceiling, &indices, p.columnMajor);
  return {values, indices};
}
Tensors averagePool(const Call& call) {
  const PoolParameters p = poolParameters(call);
  return {numerics::averagePool(call.value(0), p.window, p.ceiling, p.countPads)};
}
Tensors lpPool(const Call& call) {
  const PoolParameters p = poolParameters(call);
  return {numerics::lpPool(call.value(0), p.window, p.ceiling, double(call.attributes().integer("p", 2)))};
}

Types inferUnpool(const Call& call) {
  const Shape shape = call.has(2) ? call.value(2).toIntegers() : pooledShape(call);
  requireCount("the output shape of MaxUnpool", shape.size(), call.shape(0).size(), "dimension");
  return {{call.elementType(0), shape}};
}
Tensors maxUnpool(const Call& call) {
  const Shape from = pooledShape(call), to = inferUnpool(call)[0].shape;
  const HostTensor y = numerics::unpool(call.value(0), call.value(1), from);
  if (to == from) return {y};
  std::vector<std::int64_t> before(from.size(), 0), after(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) after[i] = to[i] - from[i];
  return {numerics::pad(y, before, after, numerics::PadMode::Constant, nullptr)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

bool isVolume(const NodeLowering& n) { return n.call().attributes().integers("kernel_shape").size() > 2; }

// Pooling over the last two dimensions.
ops::PoolParams poolOf(const NodeLowering& n, codelets::PoolKind kind, const Shape& y) {
  const numerics::Window window = windowOf(n.call().attributes()),
                         w = window.dimensions() > 2 ? ops::planeWindow(window) : window;
  ops::PoolParams p;
  p.kind = kind;
  setWindow(p, w);
  p.countPads = n.call().attributes().integer("count_include_pad", 0) != 0;
  p.out = {y[y.size() - 2], y.back()};
  return p;
}
void lowerMaxPoolGrad(NodeLowering& n) {
  if (isVolume(n)) {
    const Shape &x = n.call().shape(0), &y = n.call().shape(1);
    return n.give(ops::pool3dGrad(n.builder(), n.input(0), n.input(1), n.input(2), poolOf(n, codelets::PoolKind::Max, y),
                                  ops::depthWindow(windowOf(n.call().attributes()), x[2], y[2])));
  }
  const Shape y = ops::imageShape(n.call().shape(1));
  n.give(ops::poolGrad(n.builder(), n.input(0).reshape(ops::imageShape(n.call().shape(0))), n.input(1), n.input(2),
                       poolOf(n, codelets::PoolKind::Max, y)));
}
void lowerAveragePoolGrad(NodeLowering& n) {
  if (isVolume(n)) {
    const Shape &x = n.outputShape(), &y = n.call().shape(0);
    return n.give(ops::pool3dGrad(n.builder(), x, n.input(0), poolOf(n, codelets::PoolKind::Average, y),
                                  ops::depthWindow(windowOf(n.call().attributes()), x[2], y[2])));
  }
  n.give(ops::poolGrad(n.builder(), ops::imageShape(n.outputShape()), n.input(0),
                       poolOf(n, codelets::PoolKind::Average, ops::imageShape(n.call().shape(0)))));
}

// Whether a window is too large for a tile: a tile needs the whole span of a window, e.g. one dilated over a large image.
bool windowExceedsTile(const NodeLowering& n, const numerics::Window& w) {
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < w.dimensions(); ++d) elements *= w.span(d);
  return elements * std::int64_t(numerics::deviceSize(n.outputType())) > n.timeBuilder().tile().memory.value() / 4;
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
    for (numerics::Window rest = p.window; windows.size() < p.window.dimensions(); rest = ops::planeWindow(rest))
      windows.push_back(ops::depthWindow(rest, x.dim(2 + windows.size()), out[2 + windows.size()]));
    n.give(ops::separatePool(n.builder(), x, pool, windows, places));
  } else {
    const numerics::Window window = volume ? ops::planeWindow(p.window) : p.window;
    setWindow(pool, window);
    pool.out = {out.size() == 3 ? 1 : out[out.size() - 2], out.back()};
    if (volume)
      n.give(ops::pool3d(n.builder(), x, pool, ops::depthWindow(p.window, x.dim(2), out[2]), places));
    else
      n.give(ops::pool(n.builder(), ops::asImage(x), pool, {}, places));
  }
  if (indices.valid()) n.give(indices, 1);
}

// Whether the positions come directly from a maximum pool of that size, so elements stay within their plane.
bool comeFromPool(const NodeLowering& n, const std::string& places, const Shape& pooled) {
  const auto& nodes = n.scope().source().nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
    return node.opType == "MaxPool" && node.outputs.size() > 1 && node.outputs[1] == places &&
           n.scope().type(node.inputs[0]).shape == pooled && n.scope().type(places).shape == n.call().shape(0);
  });
}

void lowerMaxUnpool(NodeLowering& n) {
  const Shape from = pooledShape(n.call()), &to = n.outputShape();
  const Tensor x = n.input(0), places = n.input(1);
  const std::int64_t planes = from[0] * from[1], each = x.numElements() / planes;
  const Tensor y = ops::unpool(n.builder(), x.reshape({planes, each}), places.reshape({planes, each}),
                               numerics::elementCount(from, 2, from.size()), comeFromPool(n, n.node().inputs[1], from));
  if (to == from) return n.give(y);
  std::vector<std::int64_t> before(from.size(), 0), after(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) after[i] = to[i] - from[i];
  n.give(ops::move(n.builder(), "Pad", {y.reshape(from)}, n.outputType(), to, std::max<std::int64_t>(1, to.back()),
                   {partKernel(n, [before, after](const Tensors& in) {
                     return numerics::pad(in[0], before, after, numerics::PadMode::Constant, nullptr);
                   })}));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

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

// The gradient of a p-norm is sign(x) |x|^(p - 1) times dy y^(1 - p). This is the second factor, or 0 if y is 0.
std::string normShare(const Formula& f, double p) {
  if (p == 1) return f.dy;
  const std::string power = p == 2 ? f.y : f("Pow", f.y, p - 1), isZero = f("Equal", f.y, 0);
  return f.where(isZero, f.number(0), f("Div", f.dy, f.where(isZero, f.number(1), power)));
}
std::string normSlope(const Formula& f, double p, const std::string& share) {
  if (p == 2) return f("Mul", f.x, share);
  const std::string sign = f("Sign", f.x);
  return f("Mul", p == 1 ? sign : f("Mul", sign, f("Pow", f("Abs", f.x), p - 1)), share);
}
double normPower(const GradientCall& c) { return double(c.call().attributes().integer("p", 2)); }

// AveragePoolGrad gives every element of a window an equal part, so it is multiplied by the window's size. Pads count as
// elements; rows added by `ceil_mode` become pads.
void lpPoolBack(const GradientCall& c) {
  const PoolParameters p = poolParameters(c.call());
  numerics::Window window = p.window;
  const Shape x = c.call().shape(0), y = numerics::poolShape(x, window, p.ceiling);
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < window.dimensions(); ++d) {
    elements *= window.kernel[d];
    const std::int64_t read = (y[d + 2] - 1) * window.strides[d] + window.span(d);
    window.padsAfter[d] = std::max(window.padsAfter[d], read - x[d + 2] - window.padsBefore[d]);
  }
  Attributes a = attributes({{"ceil_mode", std::int64_t(0)}, {"count_include_pad", std::int64_t(1)}, {"shape", x}});
  setWindow(a, window);
  const Formula f(c);
  const std::string spread = c.graph().addOwn("AveragePoolGrad", {normShare(f, normPower(c))}, std::move(a));
  c.give(0, normSlope(f, normPower(c), f.scaled(spread, double(elements))));
}
void globalLpPoolBack(const GradientCall& c) {
  const Formula f(c);
  c.give(0, normSlope(f, normPower(c), normShare(f, normPower(c))));
}

// Each element gets the gradient of its position in the output.
void maxUnpoolBack(const GradientCall& c) {
  GraphBuilder& g = c.graph();
  const Shape from = pooledShape(c.call()), to = g.shape(c.output());
  std::string dy = c.gradient();
  if (to != from) {
    std::vector<std::int64_t> pads(2 * from.size(), 0);
    for (std::size_t i = 0; i < from.size(); ++i) pads[from.size() + i] = from[i] - to[i];
    dy = g.add("Pad", {dy, g.integers(pads)});
  }
  const Shape x = c.call().shape(0);
  const std::string places = g.reshape(c.input(1), {numerics::elementCount(x)});
  c.give(0, g.reshape(g.add("Gather", {g.reshape(dy, {numerics::elementCount(from)}), places}), x));
}

constexpr Operator kPoolingOperators[] = {
    {"AveragePool", 1, inferPool, averagePool, lowerPool, averagePoolBack},
    {"MaxPool", 1, inferPool, maxPool, lowerPool, maxPoolBack},
    {"LpPool", 6, inferPool, lpPool, lowerPool, lpPoolBack},
    {"GlobalLpPool", 6, inferGlobal, lpPool, lowerPool, globalLpPoolBack},
    {"AveragePoolGrad", 1, inferShape, averagePoolGrad, lowerAveragePoolGrad, nullptr, kPlain, kOwnDomain},
    {"MaxPoolGrad", 1, inferSame, maxPoolGrad, lowerMaxPoolGrad, nullptr, kPlain, kOwnDomain},
    {"MaxUnpool", 9, inferUnpool, maxUnpool, lowerMaxUnpool, maxUnpoolBack},
};

} // namespace

std::span<const Operator> poolingOperators() { return kPoolingOperators; }

} // namespace simcore::model
