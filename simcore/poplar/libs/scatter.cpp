// Gathers and scatters parts of tensors at positions known only at run time.
#include "popops/Scatter.hpp"

#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Gather.hpp"
#include "popops/Loop.hpp"
#include "poputil/exceptions.hpp"
#include "simcore/poplar/libs/names.h"

#include <algorithm>
#include <numeric>

namespace popops {

using namespace simcore::poplar::names;
using Dims = std::vector<unsigned>;

namespace {

bool has(const Sizes& list, std::size_t value) { return std::find(list.begin(), list.end(), value) != list.end(); }

// [.., vector, ..] -> [number of vectors, components], and the shape of the other dimensions.
std::pair<Tensor, Sizes> vectorsOf(const char* call, const Tensor& indices, std::size_t vectorDim, std::size_t components) {
  if (vectorDim > indices.rank())
    throw poputil::poplibs_error(std::string(call) + ": indices " + indices.getDebugStr() + " have no dimension " +
                                 std::to_string(vectorDim));
  const Tensor all = vectorDim == indices.rank() ? indices.expand({vectorDim}) : indices;
  if (all.dim(unsigned(vectorDim)) != components)
    throw poputil::poplibs_error(std::string(call) + ": each index vector must have one index per indexed dimension, " +
                                 std::to_string(components) + ", but has " + std::to_string(all.dim(unsigned(vectorDim))));
  const Tensor last = all.dimRoll(unsigned(vectorDim), unsigned(all.rank() - 1));
  Sizes shape = last.shape();
  shape.pop_back();
  return {last.reshape({last.numElements() / std::max<std::size_t>(1, components), components}), shape};
}

// The dimensions in `indexed` first, then the others.
Dims indexedFirst(std::size_t rank, const Dims& indexed) {
  Dims order = indexed;
  for (unsigned d = 0; d < rank; ++d)
    if (std::find(indexed.begin(), indexed.end(), d) == indexed.end()) order.push_back(d);
  return order;
}
Dims inverse(const Dims& order) {
  Dims back(order.size());
  for (unsigned i = 0; i < order.size(); ++i) back[order[i]] = i;
  return back;
}

void requireDims(const char* call, const Tensor& tensor, const Dims& dims) {
  for (const unsigned d : dims) {
    const std::string named = std::string(call) + ": dimension " + std::to_string(d) + " of " + tensor.getDebugStr();
    if (d >= tensor.rank()) throw poputil::poplibs_error(named + " does not exist");
    if (std::count(dims.begin(), dims.end(), d) > 1) throw poputil::poplibs_error(named + " is given twice");
  }
}

// Row numbers [N] for vectors [N, K] of indices into the first K dimensions of `table`.
Tensor rowsOf(Graph& graph, const Tensor& vectors, const Sizes& table, Sequence& prog, const DebugContext& debugContext) {
  Tensor rows = vectors.slice(0, 1, 1).flatten();
  for (unsigned k = 1; k < vectors.dim(1); ++k)
    rows = map(graph, expr::_1 * unsigned(table[k]) + expr::_2, {rows, vectors.slice(k, k + 1, 1).flatten()}, prog,
               DebugContext(debugContext, "rowNumbers"));
  return rows;
}

// [N, parts ..]; a part has all dimensions of the operand, in their order.
Tensor gathered(Graph& graph, const Tensor& input, const Tensor& vectors, const Dims& indexed, const Sizes& sliceSizes,
                Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  const bool single = std::all_of(indexed.begin(), indexed.end(), [&](unsigned d) { return sliceSizes[d] == 1; });
  bool whole = single; // whether parts are whole rows of a table
  for (unsigned d = 0; whole && d < input.rank(); ++d)
    whole = sliceSizes[d] == input.dim(d) || std::find(indexed.begin(), indexed.end(), d) != indexed.end();
  if (!whole) {
    Sizes dims(indexed.begin(), indexed.end()), sizes;
    for (const unsigned d : indexed) sizes.push_back(sliceSizes[d]);
    Tensor parts = multiSlice(graph, input, vectors, dims, sizes, prog, SlicePlan(), options, debugContext);
    for (unsigned d = 0; d < input.rank(); ++d) parts = parts.slice(0, sliceSizes[d], d + 1);
    return parts;
  }
  const Dims order = indexedFirst(input.rank(), indexed);
  const Tensor front = input.dimShuffle(order);
  const Sizes shape = front.shape();
  const std::size_t rows =
      std::accumulate(shape.begin(), shape.begin() + std::ptrdiff_t(indexed.size()), std::size_t(1), std::multiplies<>());
  const Tensor table = front.reshape({rows, input.numElements() / rows});
  const Tensor at = rowsOf(graph, vectors, shape, prog, debugContext);
  const Tensor taken = multiSlice(graph, table, at.expand({1}), {0}, {1}, prog, SlicePlan(), options, debugContext);
  Sizes partShape{vectors.dim(0)};
  for (const unsigned d : order) partShape.push_back(sliceSizes[d]);
  Dims back{0};
  for (const unsigned i : inverse(order)) back.push_back(i + 1);
  return taken.reshape(partShape).dimShuffle(back);
}

} // namespace

Tensor createGatherInput(Graph& graph, const poplar::Type& type, const Sizes& inputShape, const Sizes& sliceSizes,
                         std::vector<unsigned> startIndexMap, const DebugContext& debugContext) {
  Sizes dims(startIndexMap.begin(), startIndexMap.end()), sizes;
  for (const std::size_t d : dims) sizes.push_back(sliceSizes.at(d));
  return createSliceableTensor(graph, type, inputShape, dims, sizes, 0, debugContext);
}

Tensor gather(Graph& graph, const Tensor& input, const Tensor& indices, std::size_t indexVectorDim, const Sizes& offsetDims,
              const Sizes& sliceSizes, const Sizes& collapsedSliceDims, const std::vector<unsigned>& startIndexMap,
              Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  requireDims("popops::gather", input, startIndexMap);
  if (sliceSizes.size() != input.rank() || offsetDims.size() + collapsedSliceDims.size() != input.rank())
    throw poputil::poplibs_error("popops::gather: " + input.getDebugStr() +
                                 " needs one slice size per dimension, and each dimension in "
                                 "either offsetDims or collapsedSliceDims; given are " +
                                 std::to_string(sliceSizes.size()) + " sizes, " + std::to_string(offsetDims.size()) + " and " +
                                 std::to_string(collapsedSliceDims.size()) + " dimensions");
  const auto [vectors, batch] = vectorsOf("popops::gather", indices, indexVectorDim, startIndexMap.size());
  const Tensor parts = gathered(graph, input, vectors, startIndexMap, sliceSizes, prog, debugContext, options);
  Sizes shape = batch;
  for (std::size_t d = 0; d < input.rank(); ++d)
    if (!has(collapsedSliceDims, d)) shape.push_back(sliceSizes[d]);
  const Tensor flat = parts.reshape(shape); // the batch first, then the window
  Dims order(shape.size());
  unsigned nextBatch = 0, nextWindow = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    order[d] = has(offsetDims, d) ? unsigned(batch.size()) + nextWindow++ : nextBatch++;
  return flat.dimShuffle(order);
}

namespace {

struct Parts {
  Tensor vectors; // [N, K]
  Tensor updates; // [N, window ..] with the dimensions of the operand
};

Parts partsOf(const Tensor& operand, const Tensor& indices, const Tensor& updates, std::size_t indexVectorDim, Dims windowDims,
              const Sizes& insertDims, const Dims& toOperand) {
  // As in Poplar, dimensions after the last one are ignored.
  windowDims.erase(std::remove_if(windowDims.begin(), windowDims.end(), [&](unsigned d) { return d >= updates.rank(); }),
                   windowDims.end());
  requireDims("popops::scatter", operand, toOperand);
  requireDims("popops::scatter", updates, windowDims);
  if (windowDims.size() + insertDims.size() != operand.rank())
    throw poputil::poplibs_error("popops::scatter: each dimension of " + operand.getDebugStr() +
                                 " must be in either the window's or the inserted dimensions; given are " +
                                 std::to_string(windowDims.size()) + " and " + std::to_string(insertDims.size()));
  auto [vectors, batch] = vectorsOf("popops::scatter", indices, indexVectorDim, toOperand.size());
  Dims order;
  for (unsigned d = 0; d < updates.rank(); ++d)
    if (std::find(windowDims.begin(), windowDims.end(), d) == windowDims.end()) order.push_back(d);
  order.insert(order.end(), windowDims.begin(), windowDims.end());
  const Tensor front = updates.dimShuffle(order);
  Sizes shape{vectors.dim(0)};
  std::size_t next = updates.rank() - windowDims.size();
  for (std::size_t d = 0; d < operand.rank(); ++d) shape.push_back(has(insertDims, d) ? 1 : front.dim(unsigned(next++)));
  return {vectors, front.reshape(shape)};
}

} // namespace

void scatter(Graph& graph, const Tensor& operand, const Tensor& indices, const Tensor& updates, std::size_t indexVectorDim,
             std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, Sequence& prog, const DebugContext& debugContext,
             const OptionFlags& options) {
  const Parts parts =
      partsOf(operand, indices, updates, indexVectorDim, updateWindowDims, insertWindowDims, scatterDimsToOperandDims);
  if (parts.updates.numElements() == 0) return;
  const Sizes window = parts.updates.shape();
  bool rows = true; // whether updates are whole rows of a table
  for (unsigned d = 0; rows && d < operand.rank(); ++d) {
    const bool indexed =
        std::find(scatterDimsToOperandDims.begin(), scatterDimsToOperandDims.end(), d) != scatterDimsToOperandDims.end();
    rows = window[d + 1] == (indexed ? 1 : operand.dim(d));
  }
  if (!rows) {
    Sizes dims(scatterDimsToOperandDims.begin(), scatterDimsToOperandDims.end()), sizes;
    for (const std::size_t d : dims) sizes.push_back(window[d + 1]);
    Tensor all = operand; // dimensions without an index are written from 0 on
    for (unsigned d = 0; d < operand.rank(); ++d)
      if (!has(dims, d)) all = all.slice(0, window[d + 1], d);
    return multiUpdate(graph, all, parts.updates, parts.vectors, dims, sizes, prog, SlicePlan(), options, debugContext);
  }
  const Dims order = indexedFirst(operand.rank(), scatterDimsToOperandDims);
  const Tensor front = operand.dimShuffle(order);
  const Sizes shape = front.shape();
  std::size_t count = 1;
  for (std::size_t d = 0; d < scatterDimsToOperandDims.size(); ++d) count *= shape[d];
  const Tensor table = front.reshape({count, operand.numElements() / count});
  const Tensor at = rowsOf(graph, parts.vectors, shape, prog, debugContext);
  Dims moved{0};
  for (const unsigned d : order) moved.push_back(d + 1);
  const Tensor values = parts.updates.dimShuffle(moved).reshape({parts.updates.dim(0), 1, table.dim(1)});
  multiUpdate(graph, table, values, at.expand({1}), {0}, {1}, prog, SlicePlan(), options, debugContext);
}

void scatter(Graph& graph, const Tensor& operand, const Tensor& indices, const Tensor& updates, std::size_t indexVectorDim,
             std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, UpdateComputationFunc& updateComputation, Sequence& prog,
             const DebugContext& debugContext, const OptionFlags& options) {
  const Parts parts =
      partsOf(operand, indices, updates, indexVectorDim, updateWindowDims, insertWindowDims, scatterDimsToOperandDims);
  if (parts.updates.numElements() == 0) return;
  const Sizes window = parts.updates.shape();
  Sizes dims(scatterDimsToOperandDims.begin(), scatterDimsToOperandDims.end()), sizes;
  for (const std::size_t d : dims) sizes.push_back(window[d + 1]);
  Tensor all = operand;
  for (unsigned d = 0; d < operand.rank(); ++d)
    if (!has(dims, d)) all = all.slice(0, window[d + 1], d);
  prog.add(countedLoop(
      graph, parts.vectors.dim(0),
      [&](const Tensor& number) {
        Sequence body(debugContext);
        const Tensor vector = dynamicSlice(graph, parts.vectors, number, {0}, {1}, body, debugContext, options)[0];
        Tensor update = dynamicSlice(graph, parts.updates, number, {0}, {1}, body, debugContext, options)[0];
        Tensor part = dynamicSlice(graph, all, vector, dims, sizes, body, debugContext, options);
        const Tensor result = updateComputation(graph, part, update, body);
        dynamicUpdate(graph, all, result.reshape(part.shape()), vector, dims, sizes, body, debugContext, options);
        return poplar::program::Program(body);
      },
      debugContext));
}

} // namespace popops
