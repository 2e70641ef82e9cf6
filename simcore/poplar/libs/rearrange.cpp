#include "popops/Rearrange.hpp"

#include "popops/GatherStatistics.hpp"
#include "popops/HostSliceTensor.hpp"
#include "popops/NormaliseImage.hpp"
#include "popops/OperationDefUtil.hpp"

#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/Zero.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/vertices.h"

namespace popops {

using namespace simcore::poplar::names;

namespace rearrange {

bool canUseFastTranspose(const poplar::Target&, const Type& type, unsigned numRows, unsigned numColumns,
                         unsigned numTranspositions) {
  return type == poplar::HALF && numRows % 4 == 0 && numColumns % 4 == 0 && numTranspositions > 0;
}
void addTransposeVertices(Graph& graph, const poplar::ComputeSet& cs, const Type& dType, unsigned rows, unsigned cols,
                          const Graph::TileToTensorMapping& mapping,
                          std::function<std::pair<const Tensor, const Tensor>(std::size_t)> getInOut, const DebugContext&) {
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const poplar::Interval& numbers : mapping[tile])
      for (std::size_t number = numbers.begin(); number < numbers.end(); ++number) {
        const std::pair<const Tensor, const Tensor> matrix = getInOut(number);
        for (const Tensor* t : {&matrix.first, &matrix.second})
          if (t->elementType() != dType || t->numElements() != std::size_t(rows) * cols)
            throw poputil::poplibs_error("popops::rearrange::addTransposeVertices: " + t->getDebugStr() + " is not a matrix of " +
                                         std::to_string(rows) + " x " + std::to_string(cols) + " elements of " +
                                         dType.toString());
        sp::inLibrary([&] {
          const sg::Tensor from = sp::inner(matrix.first.flatten().reshape({rows, cols}).transpose()).flatten();
          sp::addCastVertex(sp::inner(graph), sg::ComputeSetId(cs.getId()), from, sp::inner(matrix.second).flatten(),
                            sg::TileId(tile));
        });
      }
}
Tensor partialTranspose(Graph& graph, const Tensor& in, const poplar::ComputeSet& cs, const DebugContext& debugContext) {
  if (in.rank() < 2)
    throw poputil::poplibs_error("popops::rearrange::partialTranspose: " + in.getDebugStr() + " is not a matrix");
  const unsigned last = unsigned(in.rank() - 1);
  const Tensor turned = in.dimRoll(last, last - 1);
  const Tensor out = graph.addVariable(in.elementType(), turned.shape(), poplar::VariableMappingMethod::LINEAR, debugContext);
  sp::inLibrary([&] {
    sg::Graph& g = sp::inner(graph);
    const sg::Tensor from = sp::inner(turned).flatten(), to = sp::inner(out).flatten();
    const auto mapping = g.getTileMapping(to);
    for (std::size_t tile = 0; tile < mapping.size(); ++tile)
      for (const sg::Interval& i : mapping[tile])
        sp::addCastVertex(g, sg::ComputeSetId(cs.getId()), from.slice(i), to.slice(i), sg::TileId(tile));
  });
  return out;
}
unsigned getMinimumRegroupGrainSize(const Type& type) { return type == poplar::FLOAT ? 2 : type == poplar::HALF ? 4 : 1; }
Tensor regroupTensor(Graph&, const Tensor& t, Sequence&, const poplar::ComputeSet&, const poputil::GroupingInfo&,
                     const poputil::GroupingInfo&, const DebugContext&) {
  return t;
}
Tensor regroupTensor(Graph&, const Tensor& t, std::vector<poplar::program::Copy>&, const poplar::ComputeSet&,
                     const poputil::GroupingInfo&, const poputil::GroupingInfo&, const DebugContext&) {
  return t;
}
Tensor regroupIfPossible(Graph&, const Tensor& t, Sequence&, const poputil::GroupingInfo&, const DebugContext&) { return t; }
Tensor regroupIfBeneficial(Graph&, const Tensor& in, const Tensor&, Sequence&, const DebugContext&) { return in; }
Tensor regroupIfBeneficial(Graph&, const Tensor& in, const Tensor&, std::vector<poplar::program::Copy>&, poplar::ComputeSet,
                           const DebugContext&) {
  return in;
}
Tensor regroupIfBeneficial(Graph&, const Tensor& in, std::size_t, Sequence&, const DebugContext&) { return in; }

} // namespace rearrange

// ---- images -----------------------------------------------------------------------------------------------------------

Tensor createNormaliseImageInput(Graph& graph, const Type& type, const poplar::ArrayRef<std::size_t> shape,
                                 const DebugContext& debugContext) {
  if (shape.empty() || shape[shape.size() - 1] != 3)
    throw poputil::poplibs_error("popops::createNormaliseImageInput: the last dimension must have three channels");
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor normaliseImage(Graph& graph, Sequence& seq, Tensor in, float inScale, Tensor offsets, Tensor scales,
                      const DebugContext& debugContext) {
  const unsigned last = unsigned(in.rank()) - 1;
  if (in.rank() == 0 || in.dim(last) != 3 || offsets.numElements() != 3 || scales.numElements() != 3)
    throw poputil::poplibs_error("popops::normaliseImage: the last dimension of " + in.getDebugStr() +
                                 ", the offsets and the scales must have three channels");
  const Type type = in.elementType() == poplar::UNSIGNED_CHAR ? scales.elementType() : in.elementType();
  const Tensor pixels = map(graph, (expr::Cast(expr::_1, type) * inScale - expr::_2) * expr::_3,
                            {in, offsets.flatten(), scales.flatten()}, seq, debugContext);
  Sizes shape = in.shape();
  shape[last] = 1;
  const Tensor zeros = graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, debugContext);
  zero(graph, zeros, seq, debugContext);
  return poplar::concat(pixels, zeros, last);
}

// ---- tensors of remote buffers ----------------------------------------------------------------------------------------

// Packets of 1,024 bytes on neighbouring tiles, for both directions of the transfer (popops HostSliceTensor).
IndicesAndTensor createHostSliceableTensor(Graph& graph, const Type& type, const Sizes& shape, const bool,
                                           const std::size_t offset, const DebugContext& debugContext) {
  if (shape.size() != 2) throw poputil::poplibs_error("popops::createHostSliceableTensor: the shape must be [rows, elements]");
  const std::size_t packet = 1024;
  const unsigned elements = unsigned(packet / graph.getTarget().getTypeSize(type));
  const unsigned first = unsigned(offset / packet % graph.getTarget().getNumTiles());
  const Tensor indices = graph.addVariable(poplar::UNSIGNED_INT, {shape[0]}, DebugContext(debugContext, "indices"));
  const Tensor rows = graph.addVariable(type, shape, DebugContext(debugContext, "rows"));
  poputil::mapTensorLinearlyWithOffset(graph, indices, 1, 1, first);
  poputil::mapTensorLinearlyWithOffset(graph, rows, elements, elements, first);
  return {indices, rows};
}
IndicesAndTensor createHostSliceableTensor(Graph& graph, const Type& type, const Sizes& shape, const bool isRead,
                                           const DebugContext& debugContext) {
  return createHostSliceableTensor(graph, type, shape, isRead, 0, debugContext);
}
Tensor createHostTransferableTensor(Graph& graph, const Type& type, const Sizes& shape, bool isRead, const std::size_t offset,
                                    const DebugContext& debugContext) {
  std::size_t elements = 1;
  for (const std::size_t extent : shape) elements *= extent;
  return createHostSliceableTensor(graph, type, {1, elements}, isRead, offset, debugContext).tensor.reshape(shape);
}
Tensor createHostTransferableTensor(Graph& graph, const Type& type, const Sizes& shape, bool isRead,
                                    const DebugContext& debugContext) {
  return createHostTransferableTensor(graph, type, shape, isRead, 0, debugContext);
}

// ---- histograms -------------------------------------------------------------------------------------------------------

Tensor histogram(Graph& graph, const Tensor& input, const Tensor& levels, bool absoluteOfInput, Sequence& prog,
                 const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::histogram", options, {"useFloatArithmetic"});
  if (levels.rank() != 1 || levels.numElements() == 0 || levels.elementType() != input.elementType())
    throw poputil::poplibs_error("popops::histogram: levels " + levels.getDebugStr() + " must be a vector of the type of " +
                                 input.getDebugStr());
  const Tensor x = input.flatten().expand({1}), l = levels.expand({0});
  const Tensor reached = absoluteOfInput
                             ? map(graph, expr::Cast(expr::Abs(expr::_1) >= expr::_2, poplar::FLOAT), {x, l}, prog, debugContext)
                             : map(graph, expr::Cast(expr::_1 >= expr::_2, poplar::FLOAT), {x, l}, prog, debugContext);
  // Counts the elements that reach each level; a bin is the difference of two counts.
  const Tensor counts = reduce(graph, reached, poplar::FLOAT, {0}, ReduceParams(Operation::ADD), prog, debugContext);
  const Tensor ends = graph.addConstant<float>(poplar::FLOAT, {2}, {float(input.numElements()), 0.0F}, debugContext);
  graph.setTileMapping(ends, 0);
  const Tensor upper = poplar::concat(ends.slice(0, 1), counts), lower = poplar::concat(counts, ends.slice(1, 2));
  return sub(graph, upper, lower, prog, debugContext);
}
void histogram(Graph& graph, const Tensor& input, Tensor& output, bool updateOutput, const Tensor& levels, bool absoluteOfInput,
               Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor made = histogram(graph, input, levels, absoluteOfInput, prog, debugContext, options);
  if (updateOutput)
    addInPlace(graph, output, made, prog, debugContext);
  else
    prog.add(poplar::program::Copy(made, output, false, debugContext));
}

} // namespace popops

namespace poputil {

namespace {
constexpr const char* kTexts[] = {"Add", "Mul", "Min", "Max", "Logical And", "Logical Or", "Square Add", "Log Add"};
constexpr const char* kNamesInSource[] = {"ADD", "MUL", "MIN", "MAX", "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOG_ADD"};
} // namespace

const char* asString(const popops::Operation& operation) { return kTexts[std::size_t(operation)]; }
std::string VertexTemplateToString<popops::Operation>::to_string(const popops::Operation& operation) {
  return std::string("popops::Operation::") + kNamesInSource[std::size_t(operation)];
}

} // namespace poputil
