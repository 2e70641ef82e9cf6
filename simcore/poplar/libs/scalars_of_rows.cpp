// One element of each row of a matrix (popops SelectScalarFromRows and UpdateScalarInRows).
#include "popops/ElementWise.hpp"
#include "popops/EncodingConstants.hpp"
#include "popops/SelectScalarFromRows.hpp"
#include "popops/UpdateScalarInRows.hpp"
#include "poputil/exceptions.hpp"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/expression.h"
#include "simcore/ops/network/losses.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/poplar/libs/library_call.h"

#include <limits>

namespace popops {

using namespace simcore::poplar::names;
namespace pe = popops::expr;

namespace {
void requireIndices(const Tensor& params, const Tensor& indices) {
  if (params.rank() != 2 || indices.rank() != 1 || params.dim(0) != indices.dim(0))
    throw poputil::poplibs_error("popops: there must be one index per row of the matrix " + params.getDebugStr() +
                                 ", but the indices are " + indices.getDebugStr());
}
sg::Tensor maskOf(const ops::OpBuilder& b, const Tensor& params, const Tensor& indices) {
  return ops::encodeOneHot(b, sp::inner(indices), int64_t(params.dim(1)), sp::inner(params.elementType()));
}

// The value, or NaN if the index, placeholder `index`, is neither of a column nor the mask.
pe::Any orNan(const pe::Expr& value, const pe::Expr& index, const Tensor& params) {
  const auto nan = pe::Cast(pe::Const(std::numeric_limits<float>::quiet_NaN()), params.elementType());
  return pe::Any(pe::Select(value, nan, index < pe::Const(unsigned(params.dim(1))) || index == pe::Const(MASKED_LABEL_CODE)));
}
} // namespace

Tensor selectScalarFromRows(Graph& graph, const Tensor& params, const Tensor& indices, Sequence& prog,
                            const DebugContext& debugContext) {
  requireIndices(params, indices);
  const Tensor selected = sp::library(
      graph, prog, debugContext, "selectScalarFromRows",
      [](const ops::OpBuilder& b, const auto& params, const auto& indices) {
        const sg::Tensor kept = ops::map(b, ops::_1 * ops::_2, {sp::inner(params), maskOf(b, params, indices)});
        return ops::reduceMany(b, {{kept, {1}, {}, {}}}).at(0);
      },
      params, indices);
  return map(graph, orNan(pe::_1, pe::_2, params), {selected, indices.reinterpret(poplar::UNSIGNED_INT)}, prog, debugContext);
}
void updateScalarInRows(Graph& graph, const Tensor& params, const Tensor& indices, Sequence& program,
                        const DebugContext& debugContext) {
  requireIndices(params, indices);
  const Tensor mask = sp::library(
      graph, program, debugContext, "updateScalarInRows",
      [](const ops::OpBuilder& b, const auto& params, const auto& indices) { return maskOf(b, params, indices); }, params,
      indices);
  mapInPlace(graph, orNan(pe::_1 - pe::_2, pe::_3, params), {params, mask, indices.reinterpret(poplar::UNSIGNED_INT).expand({1})},
             program, debugContext);
}

} // namespace popops
