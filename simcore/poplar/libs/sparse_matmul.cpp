#include "simcore/ops/sparse/sparse_matmul.h"

#include "popops/ElementWise.hpp"
#include "popops/Zero.hpp"
#include "popsparse/Embedding.hpp"
#include "popsparse/FullyConnected.hpp"
#include "popsparse/MatMul.hpp"
#include "poputil/TileMapping.hpp"
#include "simcore/ops/elementwise/fill.h"
#include "simcore/ops/slice/slices.h"
#include "simcore/poplar/libs/names.h"
#include "simcore/poplar/libs/sparse.h"

#include <algorithm>

namespace simcore::poplar {

namespace pop = ::poplar;
using numerics::HostTensor;
using Blocks = std::vector<std::int64_t>;

namespace {

// Rows and columns of the matrix, then of a block.
using Sizes = std::vector<std::int64_t>;
Sizes blockSizesOf(const ::popsparse::SparsePlaces& p) {
  return {std::int64_t(p.rows), std::int64_t(p.columns), std::int64_t(p.blockRows), std::int64_t(p.blockColumns)};
}

// Numbers of the blocks, -1 for an unused position.
Blocks numbersOf(const HostTensor& meta) {
  Blocks numbers;
  for (std::int64_t i = 0; i + 1 < meta.count(); i += 2) {
    const auto low = std::int64_t(meta.at(i)), high = std::int64_t(meta.at(i + 1));
    numbers.push_back(low == 0xFFFF && high == 0xFFFF ? -1 : low + (high << 16));
  }
  return numbers;
}

// f(index of the value, row, column) for each non-zero value. Blocks outside the matrix, in data that no partitioner made, count
// as unused.
template<class F> void forEachValue(const Blocks& numbers, const Sizes& s, F f) {
  const std::int64_t across = s[1] / s[3], size = s[2] * s[3], all = s[0] / s[2] * across;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= all) continue;
    const std::int64_t top = numbers[i] / across * s[2], left = numbers[i] % across * s[3];
    for (std::int64_t e = 0; e < size; ++e) f(std::size_t(std::int64_t(i) * size + e), top + e / s[3], left + e % s[3]);
  }
}

// Adds the time of a product: blocks are cut into squares of a size that the machine supports.
graph::Tensor timedProduct(const ops::OpBuilder& b, const graph::Tensor& values, const graph::Tensor& dense, const Sizes& s,
                           bool isTransposed, bool dynamic) {
  ops::SparseMatmulParams p;
  p.block = 1;
  for (const std::int64_t side : {16, 8, 4})
    if (p.block == 1 && s[2] % side == 0 && s[3] % side == 0) p.block = side;
  p.m = s[isTransposed ? 1 : 0], p.k = s[isTransposed ? 0 : 1], p.n = dense.dim(1);
  p.blocks = values.numElements() / (p.block * p.block);
  p.dynamic = dynamic;
  p.type = dense.elementType();
  return ops::sparseMatmul(b.timeOnly(), values.reshape({p.blocks, p.block, p.block}), dense, p, {});
}

} // namespace

pop::Tensor sparseProduct(pop::Graph& graph, const SparseFacts& facts, const pop::Tensor& meta, const pop::Tensor& values,
                          const pop::Tensor& dense, bool isTransposed, pop::program::Sequence& prog,
                          const pop::DebugContext& context) {
  const Sizes sizes = blockSizesOf(facts.places);
  if (dense.rank() != 2 || std::int64_t(dense.dim(0)) != sizes[isTransposed ? 0 : 1])
    throw ::poputil::poplibs_error("popsparse: the dense operand " + dense.getDebugStr() + " does not fit a sparse one of " +
                                   std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) +
                                   (isTransposed ? ", transposed" : ""));
  if (!values.valid() || values.numElements() == 0) {
    const pop::Tensor zeros = graph.addVariable(dense.elementType(), {std::size_t(sizes[isTransposed ? 1 : 0]), dense.dim(1)},
                                                pop::VariableMappingMethod::LINEAR, context);
    ::popops::zero(graph, zeros, prog, context);
    return zeros;
  }
  return library(
      graph, prog, context, "sparseDenseMatMul",
      [](const ops::OpBuilder& b, const auto& meta, const auto& values, const auto& dense, const auto& sizes, const auto& pattern,
         const auto& isTransposed) {
        const bool isDynamic = meta.valid();
        std::vector<graph::Tensor> inputs{inner(values), inner(dense)};
        const graph::Tensor out = timedProduct(b, inputs[0], inputs[1], sizes, isTransposed, isDynamic);
        if (isDynamic) inputs.push_back(inner(meta));
        const Sizes s = sizes;
        b.compute(inputs, {out}, ops::oneResult([s, pattern, isTransposed](const std::vector<HostTensor>& in) {
                    const std::vector<double> w = in[0].toDoubles(), x = in[1].toDoubles();
                    const std::int64_t n = in[1].shape()[1], m = s[isTransposed ? 1 : 0], k = in[1].shape()[0];
                    std::vector<double> y(std::size_t(m * n), 0);
                    forEachValue(
                        in.size() > 2 ? numbersOf(in[2]) : pattern, s,
                        [&](std::size_t at, std::int64_t row, std::int64_t column) {
                          if (isTransposed) std::swap(row, column);
                          if (at >= w.size())
                            throw ::poputil::poplibs_error("popsparse: the sparse matrix has fewer values than positions");
                          if (row >= m || column >= k)
                            throw ::poputil::poplibs_error("popsparse: a non-zero has a position outside of the sparse matrix");
                          for (std::int64_t i = 0; i < n; ++i)
                            y[std::size_t(row * n + i)] += w[at] * x[std::size_t(column * n + i)];
                        });
                    return HostTensor::of({m, n}, y).cast(in[1].type());
                  }));
        return out;
      },
      meta, values, dense, sizes, facts.pattern, isTransposed);
}

} // namespace simcore::poplar

namespace popsparse {

using namespace simcore::poplar::names;

namespace {

Tensor made(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape, const DebugContext& context) {
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
}
// The one matrix of [1, rows, columns], transposed if `isTransposed`.
Tensor matrix(const char* call, const Tensor& t, bool isTransposed) {
  if (t.rank() != 3 || t.dim(0) != 1)
    throw poputil::poplibs_error(std::string(call) + ": the dense operand " + t.getDebugStr() +
                                 " must have the shape [1, rows, columns]");
  return isTransposed ? t[0].transpose() : t[0];
}

} // namespace

namespace dynamic {

namespace {
SparseTensor sparseOf(Graph& graph, const poplar::Type& type, const SparsePlaces& places, const DebugContext& context) {
  auto facts = std::make_shared<sp::SparseFacts>();
  facts->places = places;
  const std::size_t values = places.places * places.blockRows * places.blockColumns;
  return {made(graph, poplar::UNSIGNED_SHORT, {2 * places.places}, {context, "metaInfo"}),
          made(graph, type, {values}, {context, "nzValues"}), poputil::TensorMetaData(facts)};
}
SparsePlaces placesOf(const char* call, const FullyConnectedParams& p) {
  return sp::placesOf(call, p.getNumGroups(), p.getOutputChannels(), p.getInputChannels(), p.getSparsityParams().blockDimensions,
                      p.getNumNonZeroValues());
}
// The positions of a layer's blocks, derived from the parameters, because the program may have joined the tensor from parts.
sp::SparseFacts layer(const char* call, const FullyConnectedParams& p, const SparseTensor& t) {
  sp::SparseFacts facts;
  facts.places = placesOf(call, p);
  const SparsePlaces& s = facts.places;
  if (t.getMetaInfoTensor().numElements() != 2 * s.places ||
      t.getNzValuesTensor().numElements() != s.places * s.blockRows * s.blockColumns)
    throw poputil::poplibs_error(std::string(call) + ": the sparse tensor was made for other parameters");
  return facts;
}
} // namespace

SparseTensor createSparseDenseMatMulLHS(Graph& graph, const poplar::Type& inputType, const MatMulParams& p,
                                        const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  sp::ignoreOptions("popsparse::dynamic::createSparseDenseMatMulLHS", options);
  const SparsePlaces places = sp::placesOf("popsparse::dynamic::createSparseDenseMatMulLHS", p.getNumGroups(), p.getM(), p.getK(),
                                           p.getSparsityParams().blockDimensions, p.getNumNonZeroValues());
  return sparseOf(graph, inputType, places, debugContext);
}
Tensor createSparseDenseMatMulRHS(Graph& graph, const poplar::Type& inputType, const MatMulParams& p,
                                  const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  sp::ignoreOptions("popsparse::dynamic::createSparseDenseMatMulRHS", options);
  return made(graph, inputType, {p.getNumGroups(), p.getK(), p.getN()}, debugContext);
}
Tensor sparseDenseMatMul(Graph& graph, const SparseTensor& lhs, const Tensor& rhs, Sequence& prog, bool transposeLHS,
                         bool transposeRHS, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  const char* call = "popsparse::dynamic::sparseDenseMatMul";
  sp::ignoreOptions(call, options);
  return sp::sparseProduct(graph, sp::factsOf(call, lhs.getOpMetaData()), lhs.getMetaInfoTensor(), lhs.getNzValuesTensor(),
                           matrix(call, rhs, transposeRHS), transposeLHS, prog, debugContext)
      .expand({0});
}

SparseTensor createFullyConnectedWeights(Graph& graph, const poplar::Type& inputType, const FullyConnectedParams& params,
                                         const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  const char* call = "popsparse::dynamic::createFullyConnectedWeights";
  sp::ignoreOptions(call, options);
  return sparseOf(graph, inputType, placesOf(call, params), debugContext);
}
Tensor createFullyConnectedInput(Graph& graph, const poplar::Type& inputType, const FullyConnectedParams& params,
                                 const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  sp::ignoreOptions("popsparse::dynamic::createFullyConnectedInput", options);
  return made(graph, inputType, {params.getBatchSize(), params.getInputChannels()}, debugContext);
}
Tensor fullyConnectedFwd(Graph& graph, const SparseTensor& weights, const Tensor& activations, const FullyConnectedParams& params,
                         Sequence& prog, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  const char* call = "popsparse::dynamic::fullyConnectedFwd";
  sp::ignoreOptions(call, options);
  return sp::sparseProduct(graph, layer(call, params, weights), weights.getMetaInfoTensor(), weights.getNzValuesTensor(),
                           activations.transpose(), false, prog, debugContext)
      .transpose();
}
Tensor fullyConnectedGradA(Graph& graph, const SparseTensor& weights, const Tensor& gradients, const FullyConnectedParams& params,
                           Sequence& prog, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  const char* call = "popsparse::dynamic::fullyConnectedGradA";
  sp::ignoreOptions(call, options);
  return sp::sparseProduct(graph, layer(call, params, weights), weights.getMetaInfoTensor(), weights.getNzValuesTensor(),
                           gradients.transpose(), true, prog, debugContext)
      .transpose();
}
Tensor fullyConnectedSparseGradW(Graph& graph, const Tensor sparsityMetaInfo, const Tensor& gradA, const Tensor& activations,
                                 const FullyConnectedParams& params, Sequence& prog, const DebugContext& debugContext,
                                 const OptionFlags& options, PlanningCache*) {
  const char* call = "popsparse::dynamic::fullyConnectedSparseGradW";
  sp::ignoreOptions(call, options);
  const SparsePlaces p = placesOf(call, params);
  if (gradA.rank() != 2 || activations.rank() != 2 || gradA.dim(0) != activations.dim(0) || gradA.dim(1) != p.rows ||
      activations.dim(1) != p.columns)
    throw poputil::poplibs_error(std::string(call) + ": gradients " + gradA.getDebugStr() + " and activations " +
                                 activations.getDebugStr() + " must have the shapes [batch, " + std::to_string(p.rows) +
                                 "] and [batch, " + std::to_string(p.columns) + "]");
  if (sparsityMetaInfo.numElements() != 2 * p.places)
    throw poputil::poplibs_error(std::string(call) + ": the meta information " + sparsityMetaInfo.getDebugStr() + " must have " +
                                 std::to_string(2 * p.places) + " elements");
  const Tensor values =
      made(graph, activations.elementType(), {p.places * p.blockRows * p.blockColumns}, {debugContext, "gradW"});
  if (p.places == 0) return values;
  sp::library(
      graph, prog, debugContext, "sparseGradW",
      [](const ops::OpBuilder& b, const auto& meta, const auto& gradients, const auto& activations, const auto& values,
         const auto& sizes) {
        const sg::Tensor g = sp::inner(gradients), x = sp::inner(activations), out = sp::inner(values);
        sp::timedProduct(b, out, x.transpose(), sizes, false, true); // takes as many products as the forward pass
        const sp::Sizes s = sizes;
        b.compute({sp::inner(meta), g, x}, {out}, ops::oneResult([s](const std::vector<sp::HostTensor>& in) {
                    const std::vector<double> g = in[1].toDoubles(), x = in[2].toDoubles();
                    const sp::Blocks numbers = sp::numbersOf(in[0]);
                    std::vector<double> w(numbers.size() * std::size_t(s[2] * s[3]), 0);
                    sp::forEachValue(numbers, s, [&](std::size_t at, std::int64_t row, std::int64_t column) {
                      for (std::int64_t i = 0; i < in[1].shape()[0]; ++i)
                        w[at] += g[std::size_t(i * s[0] + row)] * x[std::size_t(i * s[1] + column)];
                    });
                    return sp::HostTensor::vector(w).cast(in[2].type());
                  }));
      },
      sparsityMetaInfo, gradA, activations, values, sp::blockSizesOf(p));
  return values;
}

Tensor createIndicesTensor(Graph& graph, const FullyConnectedParams&, std::size_t numIndices, const OptionFlags& options,
                           const DebugContext& debugContext) {
  sp::ignoreOptions("popsparse::dynamic::createIndicesTensor", options);
  return made(graph, poplar::UNSIGNED_INT, {numIndices}, debugContext);
}
Tensor createSliceTensor(Graph& graph, const poplar::Type& dataType, const FullyConnectedParams& params, std::size_t numIndices,
                         const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  sp::ignoreOptions("popsparse::dynamic::createSliceTensor", options);
  return made(graph, dataType, {numIndices, params.getInputChannels()}, debugContext);
}

namespace {
// Adds the time of a look-up of rows with the average number of values.
void timedLookUp(const ops::OpBuilder& b, const sg::Tensor& values, const sg::Tensor& indices, std::int64_t rows) {
  const std::int64_t each = values.numElements() / rows;
  if (each > 0) ops::multiSlice(b.timeOnly(), values.slice(0, rows * each, 0).reshape({rows, each}), indices);
}
} // namespace

Tensor embeddingSlice(Graph& graph, const SparseTensor& t, const Tensor& indices, Sequence& prog,
                      const FullyConnectedParams& params, const DebugContext& debugContext, const OptionFlags& options,
                      PlanningCache*) {
  const char* call = "popsparse::dynamic::embeddingSlice";
  sp::ignoreOptions(call, options);
  const sp::SparseFacts facts = layer(call, params, t);
  const Tensor slices =
      createSliceTensor(graph, t.getNzValuesTensor().elementType(), params, indices.numElements(), {debugContext, "slices"});
  sp::library(
      graph, prog, debugContext, "embeddingSlice",
      [](const ops::OpBuilder& b, const auto& meta, const auto& values, const auto& indices, const auto& slices,
         const auto& sizes) {
        const sg::Tensor w = sp::inner(values), at = sp::inner(indices).flatten(), out = sp::inner(slices);
        timedLookUp(b, w, at, sizes[0]);
        ops::fill(b.timeOnly(), out, 0);
        const sp::Sizes s = sizes;
        b.compute({sp::inner(meta), w, at}, {out}, ops::oneResult([s](const std::vector<sp::HostTensor>& in) {
                    const std::vector<double> w = in[1].toDoubles();
                    std::vector<double> table(std::size_t(s[0] * s[1]), 0), rows;
                    sp::forEachValue(sp::numbersOf(in[0]), s, [&](std::size_t i, std::int64_t row, std::int64_t column) {
                      table[std::size_t(row * s[1] + column)] = w[i];
                    });
                    for (std::int64_t i = 0; i < in[2].count(); ++i) {
                      const auto row = std::int64_t(in[2].at(i));
                      for (std::int64_t c = 0; c < s[1]; ++c)
                        rows.push_back(row >= 0 && row < s[0] ? table[std::size_t(row * s[1] + c)] : 0);
                    }
                    return sp::HostTensor::of({in[2].count(), s[1]}, rows).cast(in[1].type());
                  }));
      },
      t.getMetaInfoTensor(), t.getNzValuesTensor(), indices, slices, sp::blockSizesOf(facts.places));
  return slices;
}
void embeddingUpdateAdd(Graph& graph, const SparseTensor& t, const Tensor& slices, const Tensor& indices, const Tensor& scale,
                        Sequence& prog, const FullyConnectedParams& params, const DebugContext& debugContext,
                        const OptionFlags& options, PlanningCache*) {
  const char* call = "popsparse::dynamic::embeddingUpdateAdd";
  sp::ignoreOptions(call, options);
  const sp::SparseFacts facts = layer(call, params, t);
  if (slices.rank() != 2 || slices.dim(0) != indices.numElements() || slices.dim(1) != facts.places.columns)
    throw poputil::poplibs_error(std::string(call) + ": the slices " + slices.getDebugStr() + " must have the shape [" +
                                 std::to_string(indices.numElements()) + ", " + std::to_string(facts.places.columns) + "]");
  if (scale.numElements() != 1)
    throw poputil::poplibs_error(std::string(call) + ": the scale " + scale.getDebugStr() + " must have one element");
  sp::library(
      graph, prog, debugContext, "embeddingUpdateAdd",
      [](const ops::OpBuilder& b, const auto& meta, const auto& values, const auto& indices, const auto& slices,
         const auto& scale, const auto& sizes) {
        const sg::Tensor w = sp::inner(values), at = sp::inner(indices).flatten();
        timedLookUp(b, w, at, sizes[0]);
        const sp::Sizes s = sizes;
        b.compute({sp::inner(meta), w, at, sp::inner(slices), sp::inner(scale)}, {w},
                  ops::oneResult([s](const std::vector<sp::HostTensor>& in) {
                    std::vector<double> w = in[1].toDoubles();
                    const std::vector<double> x = in[3].toDoubles();
                    std::vector<double> sums(std::size_t(s[0] * s[1]), 0);
                    for (std::int64_t i = 0; i < in[2].count(); ++i) {
                      const auto row = std::int64_t(in[2].at(i));
                      for (std::int64_t c = 0; row >= 0 && row < s[0] && c < s[1]; ++c)
                        sums[std::size_t(row * s[1] + c)] += x[std::size_t(i * s[1] + c)];
                    }
                    sp::forEachValue(sp::numbersOf(in[0]), s, [&](std::size_t i, std::int64_t row, std::int64_t column) {
                      w[i] += double(in[4].at(0)) * sums[std::size_t(row * s[1] + column)];
                    });
                    return sp::HostTensor::of(in[1].shape(), w).cast(in[1].type());
                  }));
      },
      t.getMetaInfoTensor(), t.getNzValuesTensor(), indices, slices, scale, sp::blockSizesOf(facts.places));
}

} // namespace dynamic

namespace static_ {

namespace {
template<class T>
SparseTensor sparseOf(const char* call, Graph& graph, const poplar::Type& type, const MatMulParams& p, const CSRMatrix<T>& csr,
                      bool isTransposed, const DebugContext& context) {
  const std::size_t rows = isTransposed ? p.getK() : p.getM(), columns = isTransposed ? p.getM() : p.getK();
  auto facts = std::make_shared<sp::SparseFacts>();
  facts->places = sp::placesOf(call, p.getNumGroups(), rows, columns, csr.getBlockDimensions(), csr.nzValues.size());
  facts->pattern = sp::blocksOf(csr, columns).numbers;
  if (csr.rowIndices.size() != rows / csr.getNumRowsInBlock() + 1)
    throw poputil::poplibs_error(std::string(call) + ": the sparse matrix and the parameters have different numbers of rows");
  return {made(graph, type, {csr.nzValues.size()}, {context, "nzValues"}), poputil::TensorMetaData(facts)};
}
} // namespace

template<class T>
SparseTensor createSparseDenseMatMulLHS(Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
                                        const CSRMatrix<T>& csrLHS, const DebugContext& debugContext, const OptionFlags& options,
                                        PlanningCache*) {
  const char* call = "popsparse::static_::createSparseDenseMatMulLHS";
  sp::ignoreOptions(call, options);
  return sparseOf(call, graph, inputType, params, csrLHS, false, debugContext);
}
template<class T>
SparseTensor createDenseSparseMatMulRHS(Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
                                        const CSRMatrix<T>& csrRHS, const DebugContext& debugContext, const OptionFlags& options,
                                        PlanningCache*) {
  const char* call = "popsparse::static_::createDenseSparseMatMulRHS";
  sp::ignoreOptions(call, options);
  return sparseOf(call, graph, inputType, params, csrRHS, true, debugContext);
}
template<class T>
Tensor createSparseDenseMatMulRHS(Graph& graph, const poplar::Type& inputType, const MatMulParams& p, const CSRMatrix<T>&,
                                  const DebugContext& debugContext, const OptionFlags options, PlanningCache*) {
  sp::ignoreOptions("popsparse::static_::createSparseDenseMatMulRHS", options);
  return made(graph, inputType, {p.getNumGroups(), p.getK(), p.getN()}, debugContext);
}
template<class T>
Tensor createDenseSparseMatMulLHS(Graph& graph, const poplar::Type& inputType, const MatMulParams& p, const CSRMatrix<T>&,
                                  const DebugContext& debugContext, const OptionFlags options, PlanningCache*) {
  sp::ignoreOptions("popsparse::static_::createDenseSparseMatMulLHS", options);
  return made(graph, inputType, {p.getNumGroups(), p.getN(), p.getK()}, debugContext);
}
Tensor sparseDenseMatMul(Graph& graph, const SparseTensor& lhs, const Tensor& rhs, Sequence& prog, bool transposeLHS,
                         bool transposeRHS, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  const char* call = "popsparse::static_::sparseDenseMatMul";
  sp::ignoreOptions(call, options);
  return sp::sparseProduct(graph, sp::factsOf(call, lhs.getOpMetaData()), {}, lhs.getNzValuesTensor(),
                           matrix(call, rhs, transposeRHS), transposeLHS, prog, debugContext)
      .expand({0});
}
// (A S) = (S^T A^T)^T
Tensor denseSparseMatMul(Graph& graph, const Tensor& lhs, const SparseTensor& rhs, Sequence& prog, bool transposeLHS,
                         bool transposeRHS, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  const char* call = "popsparse::static_::denseSparseMatMul";
  sp::ignoreOptions(call, options);
  return sp::sparseProduct(graph, sp::factsOf(call, rhs.getOpMetaData()), {}, rhs.getNzValuesTensor(),
                           matrix(call, lhs, !transposeLHS), !transposeRHS, prog, debugContext)
      .transpose()
      .expand({0});
}

#define TILESCOPE_SPARSE(T)                                                                                                      \
  template SparseTensor createSparseDenseMatMulLHS(Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&,        \
                                                   const DebugContext&, const OptionFlags&, PlanningCache*);                     \
  template SparseTensor createDenseSparseMatMulRHS(Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&,        \
                                                   const DebugContext&, const OptionFlags&, PlanningCache*);                     \
  template Tensor createSparseDenseMatMulRHS(Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&,              \
                                             const DebugContext&, const OptionFlags, PlanningCache*);                            \
  template Tensor createDenseSparseMatMulLHS(Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&,              \
                                             const DebugContext&, const OptionFlags, PlanningCache*);
TILESCOPE_SPARSE(float)
TILESCOPE_SPARSE(double)
#undef TILESCOPE_SPARSE

} // namespace static_
} // namespace popsparse
