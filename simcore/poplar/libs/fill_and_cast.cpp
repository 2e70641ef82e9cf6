#include "popops/Cast.hpp"
#include "popops/Encoding.hpp"
#include "popops/Fill.hpp"
#include "popops/Zero.hpp"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/expression.h"
#include "simcore/ops/elementwise/fill.h"
#include "simcore/ops/move/copies.h"
#include "simcore/ops/network/losses.h"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/vertices.h"

namespace popops {

using namespace simcore::poplar::names;
using poplar::ComputeSet;
using poplar::Interval;

void zero(Graph& graph, const Tensor& tensor, Sequence& prog, const DebugContext& debugContext) {
  sp::library(
      graph, prog, debugContext, "zero",
      [](const ops::OpBuilder& b, const auto& tensor) {
        if (tensor.numElements() > 0) ops::fill(b, sp::inner(tensor), 0);
      },
      tensor);
}
void zero(Graph& graph, Tensor tensor, const std::vector<Interval>& tileRegions, unsigned tile, ComputeSet zeroCS) {
  inside::fill(graph, tensor, tileRegions, tile, zeroCS, 0);
}
void zero(Graph& graph, const Tensor& tensor, unsigned tile, ComputeSet zeroCS) { fill(graph, tensor, tile, zeroCS, 0); }
void zero(Graph& graph, const Tensor& tensor, const std::vector<std::vector<Interval>>& mapping, ComputeSet zeroCS) {
  fill(graph, tensor, mapping, zeroCS, 0);
}

namespace inside {

void fill(Graph& graph, const Tensor& tensor, Sequence& prog, double value, const DebugContext& debugContext) {
  sp::library(
      graph, prog, debugContext, "fill",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& value) {
        if (tensor.numElements() > 0) ops::fill(b, sp::inner(tensor), value);
      },
      tensor, value);
}
void fill(Graph& graph, const Tensor& tensor, const std::vector<Interval>& tileRegions, unsigned tile, ComputeSet fillCS,
          double value) {
  sp::inLibrary([&] {
    const sg::Tensor flat = sp::inner(tensor).flatten();
    for (const Interval& i : tileRegions)
      if (i.size() > 0)
        sp::addFillVertex(sp::inner(graph), sg::ComputeSetId(fillCS.getId()), flat.slice(int64_t(i.begin()), int64_t(i.end())),
                          sg::TileId(tile), value);
  });
}

} // namespace inside

Tensor cast(Graph& graph, const Tensor& src, const Type& dstType, Sequence& prog, const DebugContext& debugContext) {
  return sp::library(
      graph, prog, debugContext, "cast",
      [](const ops::OpBuilder& b, const auto& src, const auto& dstType) {
        const sg::Tensor x = sp::inner(src);
        const ElementType type = sp::inner(dstType);
        return x.elementType() == type ? ops::duplicate(b, x, "cast") : ops::cast(b, x, type);
      },
      src, dstType);
}
void castWithOutput(Graph& graph, const Tensor& src, const Tensor& dst, Sequence& prog, const DebugContext& debugContext) {
  sp::library(
      graph, prog, debugContext, "cast",
      [](const ops::OpBuilder& b, const auto& src, const auto& dst) {
        const sg::Tensor x = sp::inner(src), out = sp::inner(dst);
        if (x.shape() != out.shape())
          throw poputil::poplibs_error("popops::cast: " + x.getDebugStr() + " and " + out.getDebugStr() +
                                       " have different shapes");
        ops::mapWithOutput(b, ops::Expression::cast(ops::_1, out.elementType()), {x}, out, "cast");
      },
      src, dst);
}
poplar::program::Program cast(Graph& graph, Tensor src, Tensor dst, const DebugContext& debugContext) {
  Sequence prog(debugContext);
  castWithOutput(graph, src, dst, prog, debugContext);
  return prog;
}
void cast(Graph& graph, Tensor src, Tensor dst, ComputeSet cs) {
  sp::inLibrary([&] {
    sg::Graph& g = sp::inner(graph);
    const sg::Tensor from = sp::inner(src).flatten(), to = sp::inner(dst).flatten();
    if (from.numElements() != to.numElements())
      throw poputil::poplibs_error("popops::cast: " + from.getDebugStr() + " and " + to.getDebugStr() +
                                   " have different numbers of elements");
    const auto mapping = g.getTileMapping(to);
    for (std::size_t tile = 0; tile < mapping.size(); ++tile)
      for (const sg::Interval& i : mapping[tile])
        sp::addCastVertex(g, sg::ComputeSetId(cs.getId()), from.slice(i), to.slice(i), sg::TileId(tile));
  });
}
Tensor cast(Graph& graph, Tensor src, const Type& dstType, ComputeSet cs, const DebugContext& debugContext) {
  const Tensor dst = graph.clone(dstType, src, debugContext);
  cast(graph, src, dst, cs);
  return dst;
}
Tensor cast(Graph&, const Tensor&, const Type&, const Tensor&, Sequence&, const DebugContext&) {
  throw poputil::poplibs_error("popops::cast with metadata is not simulated: QUARTER tensors are F143 with scale 0");
}
Tensor cast(Graph&, Tensor, const Type&, const Tensor&, ComputeSet, const DebugContext&) {
  throw poputil::poplibs_error("popops::cast with metadata is not simulated: QUARTER tensors are F143 with scale 0");
}
Tensor checkAccuracyWhenCast(Graph& graph, const Tensor& input, Type outputType, double tolerance, Sequence& prog,
                             const DebugContext& debugContext) {
  return sp::library(
      graph, prog, debugContext, "checkAccuracyWhenCast",
      [](const ops::OpBuilder& b, const auto& input, const auto& outputType, const auto& tolerance) {
        const sg::Tensor x = sp::inner(input);
        const auto absolute = [](const ops::Expression& e) {
          return ops::Expression::unary(simcore::codelets::UnaryOp::Absolute, e);
        };
        const ops::Expression back =
            ops::Expression::cast(ops::Expression::cast(ops::_1, sp::inner(outputType)), x.elementType());
        return ops::map(b, absolute(ops::_1 - back) <= absolute(ops::_1) * ops::Expression(tolerance), {x});
      },
      input, outputType, tolerance);
}

void iota(Graph& graph, const Tensor& tensor, int startInteger, Sequence& prog, const DebugContext& debugContext) {
  sp::library(
      graph, prog, debugContext, "iota",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& startInteger) {
        if (tensor.numElements() > 0) ops::iota(b, sp::inner(tensor), double(startInteger));
      },
      tensor, startInteger);
}
void iota(Graph& graph, const Tensor& tensor, unsigned startInteger, Sequence& prog, const DebugContext& debugContext) {
  sp::library(
      graph, prog, debugContext, "iota",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& startInteger) {
        if (tensor.numElements() > 0) ops::iota(b, sp::inner(tensor), double(startInteger));
      },
      tensor, startInteger);
}

namespace {
// one-hot [N, classes] of indices [N]
sg::Tensor oneHotOf(const ops::OpBuilder& b, const Tensor& indices, const Tensor& encoded, ElementType type) {
  if (encoded.rank() != 2 || indices.rank() != 1 || encoded.dim(0) != indices.dim(0))
    throw poputil::poplibs_error("popops::encodeOneHot: the result must have the shape [N, classes] for N indices, but is " +
                                 encoded.shapeToString() + " for indices " + indices.shapeToString());
  return ops::encodeOneHot(b, sp::inner(indices), int64_t(encoded.dim(1)), type);
}
} // namespace

void encodeOneHot(Graph& graph, const Tensor& indices, const Tensor& encoded, Sequence& prog, const DebugContext& debugContext) {
  sp::library(
      graph, prog, debugContext, "encodeOneHot",
      [](const ops::OpBuilder& b, const auto& indices, const auto& encoded) {
        const sg::Tensor out = sp::inner(encoded);
        sp::copyTo(b, oneHotOf(b, indices, encoded, out.elementType()), out);
      },
      indices, encoded);
}
void encodeOneHot(Graph& graph, const Tensor& indices, const Tensor& encoded, Sequence& prog, const Tensor& on, const Tensor& off,
                  const DebugContext& debugContext) {
  sp::library(
      graph, prog, debugContext, "encodeOneHot",
      [](const ops::OpBuilder& b, const auto& indices, const auto& encoded, const auto& on, const auto& off) {
        const sg::Tensor mask = oneHotOf(b, indices, encoded, ElementType::Bool);
        ops::mapWithOutput(b, ops::Expression::select(ops::_1, ops::_2, ops::_3), {sp::inner(on), sp::inner(off), mask},
                           sp::inner(encoded));
      },
      indices, encoded, on, off);
}

} // namespace popops
