#include "simcore/ops/sort/sort.h"

#include "popops/Sort.hpp"
#include "popops/TopK.hpp"
#include "simcore/numerics/indexing.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/slice/slices.h"
#include "simcore/poplar/libs/library_call.h"

#include <ostream>

namespace popops {

using namespace simcore::poplar::names;

namespace {

// Values reordered along an axis by the positions that sorting the keys gave.
sg::Tensor atPlaces(const ops::OpBuilder& b, const sg::Tensor& values, const sg::Tensor& places, std::size_t axis) {
  const ops::OpBuilder timed = b.timeOnly();
  const sg::Tensor at = ops::elementNumbers(timed, places, values.shape(), axis);
  const sg::Tensor out = ops::multiSlice(timed, values.reshape({values.numElements(), 1}), at.flatten()).reshape(places.shape());
  if (b.withNumbers())
    b.compute({values, places}, {out}, ops::oneResult([axis](const std::vector<simcore::numerics::HostTensor>& in) {
                return simcore::numerics::gatherElements(in[0], in[1], axis);
              }));
  return out;
}

ops::TopKResult best(const ops::OpBuilder& b, const Tensor& tensor, const TopKParams& params) {
  const sg::Tensor x = sp::inner(tensor);
  if (x.rank() == 0) throw poputil::poplibs_error("popops::topK: " + x.getDebugStr() + " has no dimension to select from");
  if (x.dim(x.rank() - 1) < int64_t(params.k))
    throw poputil::poplibs_error("popops::topK: k is " + std::to_string(params.k) + ", but the last dimension of " +
                                 x.getDebugStr() + " has fewer elements");
  return ops::topK(b, x, params.k, x.rank() - 1, params.largest);
}

// The op returns the largest elements in descending order, the smallest in ascending order; the opposite order is a reversed
// view.
sg::Tensor ordered(const sg::Tensor& t, const TopKParams& params) {
  const SortOrder given = params.largest ? SortOrder::DESCENDING : SortOrder::ASCENDING;
  return params.sortOrder == SortOrder::NONE || params.sortOrder == given ? t : t.reverse(t.rank() - 1);
}

void requirePaired(const char* call, const Tensor& keys, const Tensor& values) {
  if (keys.shape() != values.shape())
    throw poputil::poplibs_error(std::string(call) + ": keys " + keys.getDebugStr() + " and values " + values.getDebugStr() +
                                 " have different shapes");
}

ops::TopKResult sorted(const ops::OpBuilder& b, const Tensor& tensor, unsigned dim) {
  const sg::Tensor x = sp::inner(tensor);
  if (dim >= x.rank())
    throw poputil::poplibs_error("popops::sort: " + x.getDebugStr() + " has no dimension " + std::to_string(dim));
  return ops::topK(b, x, x.dim(dim), dim, false);
}

} // namespace

std::ostream& operator<<(std::ostream& out, const SortOrder& order) {
  return out << (order == SortOrder::NONE ? "none" : order == SortOrder::ASCENDING ? "ascending" : "descending");
}
std::ostream& operator<<(std::ostream& out, const TopKParams& params) {
  return out << "{k=" << params.k << ", largest=" << (params.largest ? "true" : "false") << ", sortOrder=" << params.sortOrder
             << '}';
}

Tensor createTopKInput(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape, const TopKParams&,
                       const DebugContext& debugContext) {
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor topK(Graph& graph, Sequence& prog, const Tensor& tensor, const TopKParams& params, const DebugContext& debugContext) {
  return sp::library(
      graph, prog, debugContext, "topK",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& params) {
        return ordered(best(b, tensor, params).values, params);
      },
      tensor, params);
}
std::pair<Tensor, Tensor> topKWithPermutation(Graph& graph, Sequence& prog, const Tensor& tensor, const TopKParams& params,
                                              const DebugContext& debugContext) {
  return sp::library(
      graph, prog, debugContext, "topK",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& params) {
        const ops::TopKResult result = best(b, tensor, params);
        const sg::Tensor places = ops::cast(b, result.indices, ElementType::UInt32);
        return std::pair{sp::outer(ordered(result.values, params)), sp::outer(ordered(places, params))};
      },
      tensor, params);
}
std::pair<Tensor, Tensor> topKKeyValue(Graph& graph, Sequence& prog, const Tensor& keys, const Tensor& values,
                                       const TopKParams& params, const DebugContext& debugContext) {
  requirePaired("popops::topKKeyValue", keys, values);
  return sp::library(
      graph, prog, debugContext, "topK",
      [](const ops::OpBuilder& b, const auto& keys, const auto& values, const auto& params) {
        const ops::TopKResult result = best(b, keys, params);
        const sg::Tensor taken = atPlaces(b, sp::inner(values), result.indices, keys.rank() - 1);
        return std::pair{sp::outer(ordered(result.values, params)), sp::outer(ordered(taken, params))};
      },
      keys, values, params);
}

Tensor sort(Graph& graph, const Tensor& tensor, unsigned dim, Sequence& prog, const DebugContext& debugContext) {
  return sp::library(
      graph, prog, debugContext, "sort",
      [](const ops::OpBuilder& b, const auto& tensor, const auto& dim) { return sorted(b, tensor, dim).values; }, tensor, dim);
}
void sortInPlace(Graph& graph, const Tensor& tensor, unsigned dim, Sequence& prog, const DebugContext& debugContext) {
  prog.add(poplar::program::Copy(sort(graph, tensor, dim, prog, debugContext), tensor, false, debugContext));
}
Tensor sortKeyValue(Graph& graph, const Tensor& keys, const Tensor& values, unsigned dim, Sequence& prog,
                    const DebugContext& debugContext) {
  requirePaired("popops::sortKeyValue", keys, values);
  return sp::library(
      graph, prog, debugContext, "sortKeyValue",
      [](const ops::OpBuilder& b, const auto& keys, const auto& values, const auto& dim) {
        return atPlaces(b, sp::inner(values), sorted(b, keys, dim).indices, dim);
      },
      keys, values, dim);
}
void sortKeyValueInPlace(Graph& graph, const Tensor& keys, const Tensor& values, unsigned dim, Sequence& prog,
                         const DebugContext& debugContext) {
  requirePaired("popops::sortKeyValueInPlace", keys, values);
  sp::library(
      graph, prog, debugContext, "sortKeyValue",
      [](const ops::OpBuilder& b, const auto& keys, const auto& values, const auto& dim) {
        const ops::TopKResult result = sorted(b, keys, dim);
        sp::copyTo(b, atPlaces(b, sp::inner(values), result.indices, dim), sp::inner(values));
        sp::copyTo(b, result.values, sp::inner(keys));
      },
      keys, values, dim);
}

} // namespace popops
