#include "popops/DynamicSlice.hpp"

#include "popops/ElementWise.hpp"
#include "popops/Gather.hpp"
#include "poputil/TileMapping.hpp"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/expression.h"
#include "simcore/ops/move/copies.h"
#include "simcore/ops/network/losses.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/ops/slice/dynamic_slices.h"
#include "simcore/ops/slice/slices.h"
#include "simcore/poplar/libs/conv_options.h"
#include "simcore/poplar/libs/library_call.h"

#include <numeric>
#include <tuple>

namespace popops {

using namespace simcore::poplar::names;
using poplar::ArrayRef;
using simcore::numerics::ScatterReduction;

struct SlicePlan::Inside {
  unsigned type = 0;
  std::size_t rows = 0, columns = 0, lookUps = 0;
  std::string text;
  auto key() const { return std::tie(type, rows, columns, lookUps); }
};

SlicePlan::SlicePlan() = default;
SlicePlan::~SlicePlan() = default;
SlicePlan::SlicePlan(const SlicePlan&) = default;
SlicePlan::SlicePlan(SlicePlan&&) noexcept = default;
SlicePlan& SlicePlan::operator=(const SlicePlan&) = default;
SlicePlan& SlicePlan::operator=(SlicePlan&&) noexcept = default;
SlicePlan::SlicePlan(std::shared_ptr<const Inside> inside) : m_inside(std::move(inside)) {}

std::ostream& operator<<(std::ostream& out, const SlicePlan& plan) {
  return out << (plan.m_inside ? plan.m_inside->text : "no plan");
}
bool operator<(const SlicePlan& a, const SlicePlan& b) noexcept {
  if (!a.m_inside || !b.m_inside) return !a.m_inside && b.m_inside;
  return a.m_inside->key() < b.m_inside->key();
}
bool operator==(const SlicePlan& a, const SlicePlan& b) noexcept {
  return bool(a.m_inside) == bool(b.m_inside) && (!a.m_inside || a.m_inside->key() == b.m_inside->key());
}

namespace {

const std::initializer_list<const char*> kReadOptions{"availableMemoryProportion", "remapOutOfBoundIndices", "paddingIndexUsed"};

bool isSet(const OptionFlags& options, const char* name) {
  for (const auto& [key, value] : options)
    if (key == name) return value == "true";
  return false;
}

void requireLists(const char* call, const Sizes& shape, const Sizes& dims, const Sizes& sizes) {
  if (dims.size() != sizes.size())
    throw poputil::poplibs_error(std::string(call) + ": dims has " + std::to_string(dims.size()) + " elements, but sizes has " +
                                 std::to_string(sizes.size()));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::string whole = "tensor of shape " + simcore::numerics::toString(sp::sizesOf(shape)), d = std::to_string(dims[i]);
    if (dims[i] >= shape.size()) throw poputil::poplibs_error(std::string(call) + ": a " + whole + " has no dimension " + d);
    if (sizes[i] > shape[dims[i]])
      throw poputil::poplibs_error(std::string(call) + ": a slice of " + std::to_string(sizes[i]) + " along dimension " + d +
                                   " is larger than the " + whole);
  }
}

Sizes slicedShape(Sizes shape, const Sizes& dims, const Sizes& sizes) {
  for (std::size_t i = 0; i < dims.size(); ++i) shape[dims[i]] = sizes[i];
  return shape;
}

std::vector<int64_t> numbers(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }

// Whether a slice is one row of a table.
bool isRows(const Tensor& tensor, const Sizes& dims, const Sizes& sizes) {
  return tensor.rank() == 2 && dims.size() == 1 && dims[0] == 0 && sizes[0] == 1;
}

// A look-up of single elements along one dimension of a tensor, written as a look-up of rows of a table.
struct RowLookUp {
  unsigned dim;
  Tensor table;

  static bool fits(const Tensor& tensor, const Sizes& dims, const Sizes& sizes) {
    return dims.size() == 1 && sizes[0] == 1 && tensor.dim(unsigned(dims[0])) > 0;
  }
  RowLookUp(const Tensor& tensor, std::size_t along) : dim(unsigned(along)) {
    const Tensor rolled = tensor.dimRoll(dim);
    m_shape = rolled.shape();
    table = rolled.reshape({m_shape[0], tensor.numElements() / m_shape[0]});
  }
  // Slices [N, shape of a slice] as rows [N, columns], and back.
  Tensor asRows(const Tensor& slices) const { return slices.dimRoll(dim + 1, 1).reshape({slices.dim(0), table.dim(1)}); }
  Tensor asSlices(const Tensor& rows) const {
    Sizes shape = m_shape;
    shape[0] = 1;
    shape.insert(shape.begin(), rows.dim(0));
    return rows.reshape(shape).dimRoll(1, dim + 1);
  }

private:
  Sizes m_shape;
};

// The offsets, with 0 for each that is outside of the dimension if the options say so.
Tensor insideBounds(Graph& graph, const Tensor& tensor, const Tensor& offsets, const Sizes& dims, const OptionFlags& options,
                    Sequence& prog, const DebugContext& debugContext) {
  if (!isSet(options, "remapOutOfBoundIndices")) return offsets;
  namespace pe = popops::expr;
  std::vector<Tensor> columns;
  for (std::size_t i = 0; i < dims.size(); ++i)
    columns.push_back(popops::map(graph,
                                  pe::Select(pe::_1, pe::Const(0U), pe::_1 < pe::Const(unsigned(tensor.dim(unsigned(dims[i]))))),
                                  {offsets.slice(i, i + 1, 1)}, prog, debugContext));
  return poplar::concat(columns, 1);
}
// Whether the index behind the last one stands for zeros.
bool hasPadding(const OptionFlags& options) {
  return isSet(options, "paddingIndexUsed") && !isSet(options, "remapOutOfBoundIndices");
}
Tensor rowOfZeros(Graph& graph, const Tensor& table, const DebugContext& debugContext) {
  const Tensor zeros = graph.addConstant(table.elementType(), {1, table.dim(1)}, 0, {debugContext, "padding"});
  poputil::mapTensorLinearly(graph, zeros);
  return zeros;
}

sg::Tensor multiSliceOf(const ops::OpBuilder& b, const sg::Tensor& x, const sg::Tensor& offsets, const Sizes& dims,
                        const Sizes& sizes) {
  std::vector<sg::Tensor> slices;
  for (int64_t i = 0; i < offsets.dim(0); ++i)
    slices.push_back(ops::dynamicSlice(b, x, offsets[i].flatten(), dims, numbers(sizes)).expand({0}));
  return sg::concat(slices, 0);
}

void requireOffsets(const char* call, const Tensor& offsets, const Sizes& dims) {
  if (offsets.rank() != 2 || offsets.dim(1) != dims.size())
    throw poputil::poplibs_error(std::string(call) + ": offsets " + offsets.getDebugStr() + " must have the shape [N, " +
                                 std::to_string(dims.size()) + "]");
}

void updateRows(const char* call, Graph& graph, const Tensor& whole, const Tensor& given, const Tensor& anyOffsets,
                const Tensor* scale, const Sizes& givenDims, const Sizes& sizes, ScatterReduction mode, Sequence& prog,
                const OptionFlags& options, const DebugContext& debugContext) {
  sp::ignoreOptions(call, options, kReadOptions);
  requireLists(call, whole.shape(), givenDims, sizes);
  requireOffsets(call, anyOffsets, givenDims);
  const Tensor factors = scale ? *scale : Tensor();
  const Tensor offsets = insideBounds(graph, whole, anyOffsets, givenDims, options, prog, debugContext);
  Tensor tensor = whole, slices = given, padding;
  Sizes dims = givenDims;
  if (RowLookUp::fits(whole, dims, sizes)) {
    const RowLookUp rows(whole, dims[0]);
    tensor = rows.table;
    slices = rows.asRows(given);
    dims = {0};
    if (hasPadding(options)) padding = rowOfZeros(graph, tensor, debugContext);
  }
  sp::library(
      graph, prog, debugContext, "multiUpdate",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& slices, const auto& offsets, const auto& scale,
         const auto& padding, const auto& dims, const auto& sizes, const auto& mode, const auto& call) {
        const sg::Tensor x = sp::inner(tensor), all = sp::inner(slices), at = sp::inner(offsets);
        if (!isRows(tensor, dims, sizes)) {
          if (mode != ScatterReduction::None)
            throw poputil::poplibs_error(
                call + " updates only rows of a table: the tensor must have two dimensions, dims {0} and sizes {1}");
          for (int64_t i = 0; i < at.dim(0); ++i) ops::dynamicUpdate(b, x, all[i], at[i].flatten(), dims, numbers(sizes));
          return;
        }
        sg::Tensor rows = all.reshape({all.dim(0), x.dim(1)});
        if (scale.valid()) {
          const sg::Tensor factor = sp::inner(scale).flatten();
          const auto f = factor.elementType() == x.elementType() ? ops::_2 : ops::Expression::cast(ops::_2, x.elementType());
          const auto v = rows.elementType() == x.elementType() ? ops::_1 : ops::Expression::cast(ops::_1, x.elementType());
          rows = ops::map(b, v * f, {rows, factor});
        }
        if (padding.valid()) { // its row is dropped
          const sg::Tensor all = ops::multiUpdate(b, sg::concat({x, sp::inner(padding)}, 0), at.flatten(), rows, mode);
          sp::copyTo(b, all.slice(0, x.dim(0)), x);
        } else {
          sp::copyTo(b, ops::multiUpdate(b, x, at.flatten(), rows, mode), x);
        }
      },
      tensor, slices, offsets, factors, padding, dims, sizes, mode, std::string(call));
}

} // namespace

Tensor createSliceableTensor(Graph& graph, const Type& type, const Sizes& shape, const Sizes& dims, const Sizes& sizes,
                             std::size_t, const DebugContext& debugContext) {
  requireLists("popops::createSliceableTensor", shape, dims, sizes);
  if (dims.empty()) return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, debugContext);
  return sp::library(graph, debugContext, "createSliceableTensor", [&](const ops::OpBuilder& b) {
    return ops::sliceableTensor(b, sp::inner(type), sp::sizesOf(shape), dims, "sliceable");
  });
}
Tensor createSliceableTensor(Graph& graph, const Type& type, const Sizes& shape, const Sizes& dims, const Sizes& sizes,
                             const SlicePlan& plan, const OptionFlags& options, const DebugContext& debugContext) {
  sp::ignoreOptions("popops::createSliceableTensor", options, kReadOptions);
  if (plan == SlicePlan() || shape.size() != 2) return createSliceableTensor(graph, type, shape, dims, sizes, 0, debugContext);
  requireLists("popops::createSliceableTensor", shape, dims, sizes);
  const Tensor table = graph.addVariable(type, shape, debugContext);
  sp::library(graph, debugContext, "createSliceableTensor", [&](const ops::OpBuilder& b) {
    sp::layOutAsPlanned(b, sp::inner(table), [&](const ops::OpBuilder& scratch, const sg::Tensor& like) {
      const sg::Tensor at = scratch.graph().addVariable(ElementType::UInt32, {like.dim(0)}, "at");
      scratch.mapLinearly(at);
      ops::multiSlice(scratch, like, at);
    });
  });
  return table;
}
Tensor createGroupedSliceableTensor(Graph& graph, const Type& type, const std::size_t groupSize, const Sizes& shape,
                                    const Sizes& dims, const Sizes& sizes, const SlicePlan& plan, const OptionFlags& options,
                                    const DebugContext& debugContext) {
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g < groupSize; ++g)
    groups.push_back(createSliceableTensor(graph, type, shape, dims, sizes, plan, options, debugContext).expand({0}));
  return poplar::concat(groups);
}

Tensor createSliceTensor(Graph& graph, const Type& type, const Sizes& shape, const Sizes& dims, const Sizes& sizes,
                         std::size_t numIndices, const SlicePlan&, const OptionFlags& options, const DebugContext& debugContext) {
  sp::ignoreOptions("popops::createSliceTensor", options, kReadOptions);
  requireLists("popops::createSliceTensor", shape, dims, sizes);
  Sizes all = slicedShape(shape, dims, sizes);
  all.insert(all.begin(), numIndices);
  return graph.addVariable(type, all, poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor createSliceTensor(Graph& graph, const Tensor& tensor, const Sizes& dims, const Sizes& sizes, std::size_t numIndices,
                         const DebugContext& debugContext) {
  return createSliceTensor(graph, tensor.elementType(), tensor.shape(), dims, sizes, numIndices, SlicePlan(), {}, debugContext);
}
Tensor createGroupedSliceTensor(Graph& graph, const Type& type, const std::size_t groupSize, const Sizes& shape,
                                const Sizes& dims, const Sizes& sizes, const std::size_t numIndices, const SlicePlan&,
                                const OptionFlags& options, const DebugContext& debugContext) {
  sp::ignoreOptions("popops::createGroupedSliceTensor", options, kReadOptions);
  Sizes all = slicedShape(shape, dims, sizes);
  all.insert(all.begin(), {groupSize, numIndices});
  return graph.addVariable(type, all, poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor createIndicesTensor(Graph& graph, const Sizes& dims, std::size_t numIndices, const SlicePlan&, const OptionFlags& options,
                           const DebugContext& debugContext) {
  sp::ignoreOptions("popops::createIndicesTensor", options, kReadOptions);
  return graph.addVariable(poplar::UNSIGNED_INT, {numIndices, dims.size()}, poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor createGroupedIndicesTensor(Graph& graph, const std::size_t groupSize, const Sizes& dims, const std::size_t numIndices,
                                  const SlicePlan&, const OptionFlags& options, const DebugContext& debugContext) {
  sp::ignoreOptions("popops::createGroupedIndicesTensor", options, kReadOptions);
  return graph.addVariable(poplar::UNSIGNED_INT, {groupSize, numIndices, dims.size()}, poplar::VariableMappingMethod::LINEAR,
                           debugContext);
}
Tensor createSliceableTensorFromSlice(Graph& graph, const Tensor& slice, const Sizes& dims, const Sizes& numSlices,
                                      const DebugContext& debugContext) {
  Sizes shape = slice.shape(), sizes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    sizes.push_back(shape[dims[i]]);
    shape[dims[i]] *= numSlices[i];
  }
  return createSliceableTensor(graph, slice.elementType(), shape, dims, sizes, 0, debugContext);
}

Tensor dynamicSlice(Graph& graph, const Tensor& tensor, const Tensor& offset, const Sizes& dims, const Sizes& sizes,
                    Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::dynamicSlice", options);
  requireLists("popops::dynamicSlice", tensor.shape(), dims, sizes);
  return sp::library(
      graph, prog, debugContext, "dynamicSlice",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& offset, const auto& dims, const auto& sizes) {
        return ops::dynamicSlice(b, sp::inner(tensor), sp::inner(offset).flatten(), dims, numbers(sizes));
      },
      tensor, offset, dims, sizes);
}
Tensor createDynamicSliceOutput(Graph& graph, const Tensor& tensor, const Tensor&, const Sizes& dims, const Sizes& sizes,
                                const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::createDynamicSliceOutput", options);
  requireLists("popops::createDynamicSliceOutput", tensor.shape(), dims, sizes);
  return graph.addVariable(tensor.elementType(), slicedShape(tensor.shape(), dims, sizes), poplar::VariableMappingMethod::LINEAR,
                           debugContext);
}
void dynamicSliceWithOutput(Graph& graph, const Tensor& output, const Tensor& tensor, const Tensor& offset, const Sizes& dims,
                            const Sizes& sizes, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor slice = dynamicSlice(graph, tensor, offset, dims, sizes, prog, debugContext, options);
  prog.add(poplar::program::Copy(slice, output, false, debugContext));
}
Graph::TileToTensorMapping getSliceMapping(Graph& graph, const Tensor& tensor, const Sizes& dims, const Sizes& sizes) {
  requireLists("popops::getSliceMapping", tensor.shape(), dims, sizes);
  return graph.getTileMapping(tensor.slice(Sizes(tensor.rank(), 0), slicedShape(tensor.shape(), dims, sizes)));
}
void dynamicUpdate(Graph& graph, const Tensor& tensor, const Tensor& slice, const Tensor& offset, const Sizes& dims,
                   const Sizes& sizes, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::dynamicUpdate", options);
  requireLists("popops::dynamicUpdate", tensor.shape(), dims, sizes);
  sp::library(
      graph, prog, debugContext, "dynamicUpdate",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& slice, const auto& offset, const auto& dims,
         const auto& sizes) {
        ops::dynamicUpdate(b, sp::inner(tensor), sp::inner(slice), sp::inner(offset).flatten(), dims, numbers(sizes));
      },
      tensor, slice, offset, dims, sizes);
}

Tensor multiSlice(Graph& graph, const Tensor& tensor, const Tensor& anyOffsets, const Sizes& dims, const Sizes& sizes,
                  Sequence& prog, const SlicePlan&, const OptionFlags& options, const DebugContext& debugContext) {
  sp::ignoreOptions("popops::multiSlice", options, kReadOptions);
  requireLists("popops::multiSlice", tensor.shape(), dims, sizes);
  requireOffsets("popops::multiSlice", anyOffsets, dims);
  const Tensor offsets = insideBounds(graph, tensor, anyOffsets, dims, options, prog, debugContext);
  if (RowLookUp::fits(tensor, dims, sizes)) {
    const RowLookUp rows(tensor, dims[0]);
    const Tensor table =
        hasPadding(options) ? poplar::concat(rows.table, rowOfZeros(graph, rows.table, debugContext)) : rows.table;
    return rows.asSlices(sp::library(
        graph, prog, debugContext, "multiSlice",
        [](const ops::OpBuilder& b, const auto& table, const auto& offsets) {
          return ops::multiSlice(b, sp::inner(table), sp::inner(offsets).flatten());
        },
        table, offsets));
  }
  return sp::library(
      graph, prog, debugContext, "multiSlice",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& offsets, const auto& dims, const auto& sizes) {
        return multiSliceOf(b, sp::inner(tensor), sp::inner(offsets), dims, sizes);
      },
      tensor, offsets, dims, sizes);
}
Tensor multiSlice(Graph& graph, const Tensor& tensor, ArrayRef<unsigned> offsets, std::size_t dim, Sequence& prog,
                  const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::multiSlice", options, kReadOptions);
  const unsigned extent = unsigned(tensor.dim(unsigned(dim)));
  std::vector<Tensor> slices;
  for (unsigned at : offsets) {
    if (at >= extent && isSet(options, "remapOutOfBoundIndices")) at = 0;
    if (at == extent && hasPadding(options)) {
      Sizes shape = tensor.shape();
      shape[dim] = 1;
      slices.push_back(graph.addConstant(tensor.elementType(), shape, 0, {debugContext, "padding"}).expand({0}));
      graph.setTileMapping(slices.back(), 0);
    } else {
      slices.push_back(tensor.slice(at, at + 1, unsigned(dim)).expand({0}));
    }
  }
  const Tensor all = poplar::concat(slices);
  const Tensor copy = graph.addVariable(all.elementType(), all.shape(), poplar::VariableMappingMethod::LINEAR, debugContext);
  prog.add(poplar::program::Copy(all, copy, false, debugContext));
  return copy;
}
Tensor groupedMultiSlice(Graph& graph, const Tensor& tensor, const Tensor& offsets, const Sizes& dims, const Sizes& sizes,
                         Sequence& prog, const SlicePlan& plan, const OptionFlags& options, const DebugContext& debugContext) {
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g < tensor.dim(0); ++g)
    groups.push_back(multiSlice(graph, tensor[g], offsets[g], dims, sizes, prog, plan, options, debugContext).expand({0}));
  return poplar::concat(groups);
}

#define TILESCOPE_UPDATE(NAME, MODE)                                                                                             \
  void multi##NAME(Graph& graph, const Tensor& tensor, const Tensor& slices, const Tensor& offsets, const Sizes& dims,           \
                   const Sizes& sizes, Sequence& prog, const SlicePlan&, const OptionFlags& options,                             \
                   const DebugContext& debugContext) {                                                                           \
    updateRows("popops::multi" #NAME, graph, tensor, slices, offsets, nullptr, dims, sizes, ScatterReduction::MODE, prog,        \
               options, debugContext);                                                                                           \
  }                                                                                                                              \
  void groupedMulti##NAME(Graph& graph, const Tensor& tensor, const Tensor& slices, const Tensor& offsets, const Sizes& dims,    \
                          const Sizes& sizes, Sequence& prog, const SlicePlan& plan, const OptionFlags& options,                 \
                          const DebugContext& debugContext) {                                                                    \
    for (std::size_t g = 0; g < tensor.dim(0); ++g)                                                                              \
      multi##NAME(graph, tensor[g], slices[g], offsets[g], dims, sizes, prog, plan, options, debugContext);                      \
  }
TILESCOPE_UPDATE(Update, None)
TILESCOPE_UPDATE(UpdateMax, Max)
TILESCOPE_UPDATE(UpdateMul, Mul)
#undef TILESCOPE_UPDATE

void multiUpdateAdd(Graph& graph, const Tensor& tensor, const Tensor& slices, const Tensor& offsets, const Tensor& scale,
                    const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan&, const OptionFlags& options,
                    const DebugContext& debugContext) {
  updateRows("popops::multiUpdateAdd", graph, tensor, slices, offsets, &scale, dims, sizes, ScatterReduction::Add, prog, options,
             debugContext);
}
void groupedMultiUpdateAdd(Graph& graph, const Tensor& tensor, const Tensor& slices, const Tensor& offsets, const Tensor& scale,
                           const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan& plan,
                           const OptionFlags& options, const DebugContext& debugContext) {
  for (std::size_t g = 0; g < tensor.dim(0); ++g)
    multiUpdateAdd(graph, tensor[g], slices[g], offsets[g], scale, dims, sizes, prog, plan, options, debugContext);
}
void multiUpdateAdd(Graph& graph, const Tensor& tensor, const Tensor& slices, ArrayRef<unsigned> offsets, const Tensor& scale,
                    std::size_t dim, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor at = graph.addConstant(poplar::UNSIGNED_INT, {offsets.size(), 1}, offsets, debugContext);
  graph.setTileMapping(at, 0);
  multiUpdateAdd(graph, tensor, slices, at, scale, {dim}, {1}, prog, SlicePlan(), options, debugContext);
}

namespace embedding {

SlicePlan plan(const Graph& graph, const Type& dataType, const std::size_t numEntries, const std::size_t outputSize,
               const std::vector<std::size_t>& numLookups, const OptionFlags& options) {
  sp::ignoreOptions("popops::embedding::plan", options, kReadOptions);
  return sp::inLibrary([&] {
    auto inside = std::make_shared<SlicePlan::Inside>();
    inside->type = dataType.id();
    inside->rows = numEntries;
    inside->columns = outputSize;
    inside->lookUps = std::accumulate(numLookups.begin(), numLookups.end(), std::size_t(0));
    inside->text = ops::planLookUp(sp::inner(graph).getTarget(), sp::inner(dataType), int64_t(numEntries), int64_t(outputSize),
                                   int64_t(std::max<std::size_t>(1, inside->lookUps)))
                       .text();
    return SlicePlan(std::move(inside));
  });
}
SlicePlan plan(const Graph& graph, const Type& dataType, const std::size_t groupSize, const std::size_t numEntries,
               const std::size_t outputSize, const std::vector<std::size_t>& numLookups, const OptionFlags& options) {
  return plan(graph, dataType, groupSize * numEntries, outputSize, numLookups, options);
}
std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters>& parameters) {
  std::vector<SlicePlan> plans;
  for (const SlicePlanningParameters& p : parameters)
    plans.push_back(plan(p.graph, p.dataType, p.groupSize, p.numEntries, p.outputSize, p.numLookups, p.optionFlags));
  return plans;
}

} // namespace embedding

Tensor createGatherInput(Graph& graph, const Type& type, const Sizes& operandShape, unsigned axis, GatherParams,
                         const DebugContext& debugContext) {
  return createSliceableTensor(graph, type, operandShape, {axis}, {1}, 0, debugContext);
}
Tensor gather(Graph& graph, const Tensor& input, const Tensor& indices, unsigned axis, Sequence& prog, GatherParams,
              const DebugContext& debugContext, const OptionFlags& options) {
  if (axis >= input.rank())
    throw poputil::poplibs_error("popops::gather: " + input.getDebugStr() + " has no axis " + std::to_string(axis));
  // A matrix with the axis as its rows and all other dimensions as its columns.
  const Tensor front = input.dimRoll(axis, 0);
  const Sizes all = front.shape();
  const Sizes rest(all.begin() + 1, all.end());
  const Tensor rows = multiSlice(graph, front.reshape({front.dim(0), front.numElements() / front.dim(0)}),
                                 indices.flatten().expand({1}), {0}, {1}, prog, SlicePlan(), options, debugContext);
  Sizes shape = indices.shape();
  shape.insert(shape.end(), rest.begin(), rest.end());
  Tensor out = rows.reshape(shape);
  std::vector<unsigned> order; // the dimensions of the indices replace the axis
  const unsigned n = unsigned(indices.rank());
  for (unsigned d = 0; d < axis; ++d) order.push_back(n + d);
  for (unsigned d = 0; d < n; ++d) order.push_back(d);
  for (unsigned d = axis; d < rest.size(); ++d) order.push_back(n + d);
  return out.dimShuffle(order);
}

} // namespace popops
