#include "simcore/model/operators/family.h"

namespace simcore::model {

void refuseNode(const std::string& message) { throw Error(ErrorCode::InvalidInput, message); }

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

ops::ConvOptions planOptions(const NodeLowering& n) {
  ops::ConvOptions options;
  options.availableMemoryProportion = n.scope().options().availableMemoryProportion;
  if (n.scope().options().halfPartials) options.partials = ElementType::Half;
  return options;
}

Tensor gathered(NodeLowering& n, const Tensor& view) {
  constexpr std::size_t kMostPieces = 2048;
  if (view.contiguousRegions().size() <= kMostPieces) return view;
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
  return ops::OpBuilder(g, parts.program(), g.addContext(parts.context(), found->name, "onnx", opType), parts.withNumbers(),
                        parts.ipu())
      .withAvailableMemory(n.scope().options().availableMemoryProportion)
      .withMemoryShares(n.scope().options().memoryShares);
}

} // namespace simcore::model
