#include "simcore/model/operators/family.h"

#include "reports/core/option.h"
#include "reports/core/text.h"
#include "simcore/numerics/quantise.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

void refuseNode(const std::string& message) { throw Error(ErrorCode::InvalidInput, message); }

void requireCount(const std::string& what, std::size_t given, std::size_t needed, const std::string& unit) {
  if (given != needed)
    refuseNode(what + " has " + reports::counted(std::int64_t(given), unit) + " instead of " + std::to_string(needed));
}
void requireBroadcast(const Call& call, std::size_t i, const Shape& shape) {
  if (call.has(i) && numerics::broadcast(shape, call.shape(i)) != shape)
    refuseNode("input " + std::to_string(i) + " of " + call.node().opType + " has the shape " +
               numerics::toString(call.shape(i)) + ", which does not broadcast to " + numerics::toString(shape));
}

std::size_t axisOf(const Call& call, std::int64_t standard, std::size_t rank) {
  return numerics::normaliseAxis(call.attributes().integer("axis", standard), rank);
}

std::vector<std::size_t> dimensions(std::size_t first, std::size_t end) {
  std::vector<std::size_t> list;
  for (std::size_t i = first; i < end; ++i) list.push_back(i);
  return list;
}
std::vector<std::size_t> allButChannels(std::size_t rank) {
  std::vector<std::size_t> list = dimensions(0, rank);
  std::erase(list, std::size_t(1));
  return list;
}

ElementType elementTypeOf(const Call& call, std::int64_t number) {
  if (const auto type = elementTypeOfOnnx(number)) return *type;
  throw Error(ErrorCode::Unsupported,
              call.node().opType + " of element type number " + std::to_string(number) + " is not supported");
}

Types inferShape(const Call& call) { return {{call.elementType(0), shapeOf(call)}}; }
Shape shapeOf(const Call& call) { return call.attributes().integers("shape"); }

HostTensor scaled(const HostTensor& x, double factor) {
  return factor == 1 ? x : numerics::binary(BinaryKind::Mul, x, HostTensor::full(x.type(), {}, factor));
}

namespace {
// A file may contain any exponent; these limits keep the power of two a normal float.
std::int64_t powerOf(const Attributes& a, const char* name) {
  constexpr std::int64_t kMostPower = 126;
  return std::clamp<std::int64_t>(a.integer(name, 0), -kMostPower, kMostPower);
}
double productScale(const Attributes& a) { return std::ldexp(1.0, int(powerOf(a, kProductScale))); }
double productScale(const Call& call) {
  if (!call.has(kHistories)) return productScale(call.attributes());
  return std::ldexp(1.0, numerics::quarterScale(call.value(kHistories), call.elementType(0)) +
                             numerics::quarterScale(call.value(kHistories + 1), call.elementType(1)));
}
} // namespace

ElementType productType(const Call& call) {
  const ElementType type = call.elementType(0);
  return numerics::isFloat8(type) ? elementTypeOf(call, call.attributes().integer(kProductType, onnxTypeOf(ElementType::Float)))
                                  : type;
}

HostTensor productOperand(const Call& call, std::size_t i) {
  if (!numerics::isFloat8(call.elementType(0))) return call.value(i);
  const HostTensor wide = call.value(i).cast(ElementType::Float);
  return i == 0 ? scaled(wide, productScale(call)) : wide;
}

ProductGradient::ProductGradient(const GradientCall& call) : dy(call.gradient()) {
  const Attributes& a = call.call().attributes();
  m_isQuarter = numerics::isFloat8(call.call().elementType(0));
  if (!m_isQuarter) return;
  m_weightScale = powerOf(a, kWeightScale);
  m_inputScale = powerOf(a, kProductScale) - m_weightScale;
  m_type = onnxTypeOf(productType(call.call()));
  // The two operands of an 8-bit product may have different formats, so the gradient can be F152.
  Attributes cast = attributes({{"to", onnxTypeOf(ElementType::Float8E5M2Fnuz)}});
  if (!call.call().has(kHistories)) {
    dy = call.graph().addOwn("QuarterCast", {dy}, std::move(cast));
    return;
  }
  for (const std::size_t i : {kHistories, kHistories + 1}) m_histories.push_back(call.input(i));
  m_histories.push_back(call.graph().unique(call.output() + "/gradient/amax"));
  call.graph().declare(m_histories.back(), call.call().type(kHistories));
  cast.set(kCastKind, std::string("gradients"));
  dy = call.graph().addOwnMany("QuarterCast", {dy, m_histories.back()}, std::move(cast), {true, true})[0];
}

std::vector<std::string> ProductGradient::operands(std::vector<std::string> values, std::size_t first, std::size_t second) const {
  if (m_histories.empty()) return values;
  values.resize(kHistories);
  for (const std::size_t i : {first, second}) values.push_back(m_histories[i]);
  return values;
}

Attributes ProductGradient::of(Attributes more, std::int64_t scale) const {
  if (!m_isQuarter) return more;
  more.set(kProductScale, scale);
  more.set(kProductType, m_type);
  return more;
}

ops::ConvOptions planOptions(const NodeLowering& n) {
  ops::ConvOptions options;
  if (numerics::isFloat8(n.call().elementType(0))) {
    options.productScale = productScale(n.call().attributes());
    if (n.byVertices() && n.call().has(kHistories))
      throw Error(ErrorCode::Unsupported, "scales from histories are not supported with {option vertex-by-vertex}",
                  reports::option("fp8-history"));
  }
  options.availableMemoryProportion = n.scope().options().availableMemoryProportion;
  if (n.scope().options().halfPartials) options.partials = ElementType::Half;
  return options;
}

Tensor gathered(NodeLowering& n, const Tensor& view) {
  if (std::int64_t(view.contiguousRegions().size()) <= kMostPieces) return view;
  return ops::move(n.builder(), "collect", {view}, view.elementType(), view.shape(), view.shape().back(),
                   {partKernel(n, [](const Tensors& in) { return in[0]; })});
}

ops::OpBuilder partOf(NodeLowering& n, const std::string& opType, bool last) {
  const Node::Origin* found = nullptr;
  for (const Node::Origin& origin : n.node().fused)
    if (origin.opType == opType && (last || !found)) found = &origin;
  if (!found) return n.builder();
  const ops::OpBuilder& parts = n.builder();
  graph::Graph& g = parts.graph();
  return ops::OpBuilder(g, parts.program(),
                        g.addContext(parts.context(), nameInside(n.node(), found->name), "onnx", opType, {}, graph::kNoSource),
                        parts.withNumbers(), parts.ipu())
      .withAvailableMemory(n.scope().options().availableMemoryProportion)
      .withMemoryShares(n.scope().options().memoryShares);
}

} // namespace simcore::model
