#include "popsparse/experimental/BlockSparseMatMul.hpp"

#include "poplin/MatMul.hpp"
#include "popops/Cast.hpp"
#include "popops/ElementWise.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"
#include "simcore/ops/sparse/sparse_matmul.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <numeric>

namespace popsparse::experimental {

using namespace simcore::poplar::names;

class BSMatMulImpl {
public:
  std::array<std::size_t, 3> dim{}, block{};
  std::vector<unsigned char> sparsity;
  bool isTransposed = false, isResultSparse = false;
  poplar::Type in, out, partial;
  SubBlockMask inside = SubBlockMask::None;
  std::size_t groups = 1;

  // The dimensions of `dim` that are rows and columns of the sparse matrix, in the order of its mask.
  std::array<std::size_t, 2> sparseDims() const {
    if (isResultSparse) return {0, 2};
    return isTransposed ? std::array<std::size_t, 2>{2, 1} : std::array<std::size_t, 2>{1, 2};
  }
  std::size_t blocksAlong(std::size_t d) const { return dim[d] / block[d]; }
  std::size_t maskSize() const { return blocksAlong(sparseDims()[0]) * blocksAlong(sparseDims()[1]); }
  std::size_t blockElements() const { return block[sparseDims()[0]] * block[sparseDims()[1]]; }
  // Numbers of the non-zero blocks of a group.
  std::vector<std::size_t> blocksOf(std::size_t group) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < maskSize(); ++i)
      if (sparsity[group * maskSize() + i]) found.push_back(i);
    return found;
  }
  std::size_t allBlocks() const {
    return std::size_t(std::count_if(sparsity.begin(), sparsity.end(), [](unsigned char c) { return c != 0; }));
  }
};

namespace {

std::unique_ptr<BSMatMulImpl> checked(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                                      const std::vector<unsigned char>& sparsity, const poplar::Type& in, unsigned groups,
                                      bool isTransposed, bool isResultSparse) {
  auto impl = std::make_unique<BSMatMulImpl>();
  const int unit = in == poplar::HALF ? 16 : 8;
  for (std::size_t d = 0; d < 3; ++d) {
    if (blockSize[d] <= 0 || blockSize[d] % unit || dim[d] <= 0 || dim[d] % blockSize[d])
      throw poputil::poplibs_error("BSMatMulParams: the block size " + std::to_string(blockSize[d]) +
                                   " must divide the dimension " + std::to_string(dim[d]) + " and be a multiple of " +
                                   std::to_string(unit) + " for " + in.toString());
    impl->dim[d] = std::size_t(dim[d]), impl->block[d] = std::size_t(blockSize[d]);
  }
  impl->in = in;
  impl->groups = groups;
  impl->isTransposed = isTransposed, impl->isResultSparse = isResultSparse;
  impl->sparsity = sparsity;
  if (groups == 0 || sparsity.size() != impl->maskSize() * groups)
    throw poputil::poplibs_error("BSMatMulParams: the mask has " + std::to_string(sparsity.size()) + " entries for " +
                                 std::to_string(groups) + " groups of " + std::to_string(impl->maskSize()) + " blocks");
  return impl;
}

Tensor made(Graph& graph, const poplar::Type& type, std::size_t rows, std::size_t columns, const poplar::DebugContext& name) {
  const Tensor t = graph.addVariable(type, {rows, columns}, name);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

void requireShape(const char* which, const Tensor& t, std::size_t rows, std::size_t columns) {
  if (t.shape() != std::vector<std::size_t>{rows, columns})
    throw poputil::poplibs_error(std::string("bsMatMul: the ") + which + " operand " + t.getDebugStr() +
                                 " must have the shape [" + std::to_string(rows) + ", " + std::to_string(columns) + "]");
}

struct SquareBlocks {
  Tensor values; // [blocks, side, side]
  std::vector<std::int64_t> places;
};
// Cuts the blocks of a group into square blocks of [N, K]: their elements and positions, in row-major order.
SquareBlocks squareBlocks(const BSMatMulImpl& p, const Tensor& blocks, std::size_t group, std::size_t side) {
  const auto [rowDim, columnDim] = p.sparseDims();
  const std::size_t down = p.block[rowDim] / side, across = p.block[columnDim] / side;
  const std::size_t perRow = p.dim[1] / side; // square blocks in a row of [N, K]
  const std::vector<std::size_t> places = p.blocksOf(group);
  std::vector<std::pair<std::int64_t, Tensor>> found;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Tensor block = blocks[i].reshape({p.block[rowDim], p.block[columnDim]});
    const std::size_t row = places[i] / p.blocksAlong(columnDim), column = places[i] % p.blocksAlong(columnDim);
    for (std::size_t r = 0; r < down; ++r)
      for (std::size_t c = 0; c < across; ++c) {
        const Tensor part = block.slice({r * side, c * side}, {(r + 1) * side, (c + 1) * side});
        const std::size_t y = row * down + r, x = column * across + c;
        found.emplace_back(std::int64_t(p.isTransposed ? y * perRow + x : x * perRow + y),
                           (p.isTransposed ? part : part.transpose()).expand({0}));
      }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  SquareBlocks result;
  std::vector<Tensor> values;
  for (const auto& [place, value] : found) result.places.push_back(place), values.push_back(value);
  if (!values.empty()) result.values = poplar::concat(values);
  return result;
}

// [M, K] x sparse [K, N] = (sparse [N, K] x [K, M]) transposed.
Tensor timesSparse(Graph& graph, const BSMatMulImpl& p, const Tensor& lhs, const Tensor& blocks, std::size_t group,
                   Sequence& prog, const poplar::DebugContext& name) {
  const std::size_t side = std::gcd(std::gcd(p.block[1], p.block[2]), std::size_t(16));
  const SquareBlocks squares = squareBlocks(p, blocks, group, side);
  if (squares.places.empty()) {
    const Tensor zeros = graph.addConstant(p.in, {p.dim[0], p.dim[2]}, 0.0F, poplar::DebugContext(name, "zeros"));
    poputil::mapTensorLinearly(graph, zeros);
    return poputil::duplicate(graph, zeros, prog, name);
  }
  const Tensor result = sp::library(
      graph, prog, name, "bsMatMul",
      [](const ops::OpBuilder& b, const auto& values, const auto& dense, const auto& side, const auto& places) {
        const simcore::graph::Tensor v = sp::inner(values), d = sp::inner(dense);
        const std::int64_t columns = d.dim(0) / std::int64_t(side);
        ops::SparseMatmulParams params;
        params.k = d.dim(0), params.n = d.dim(1);
        params.m = (places.back() / columns + 1) * std::int64_t(side);
        params.block = std::int64_t(side), params.blocks = std::int64_t(places.size());
        params.type = d.elementType();
        return ops::sparseMatmul(b, v, d, params, [places] { return places; });
      },
      squares.values, lhs.transpose(), side, squares.places);
  Tensor rows = result.transpose(); // lacks the columns after the last block
  if (rows.dim(1) < p.dim[2]) {
    const Tensor zeros = graph.addConstant(p.in, {p.dim[0], p.dim[2] - rows.dim(1)}, 0.0F, poplar::DebugContext(name, "zeros"));
    poputil::mapTensorLinearly(graph, zeros);
    rows = poplar::concat(rows, poputil::duplicate(graph, zeros, prog, name), 1);
  }
  return rows;
}

// The requested blocks of a dense product, each as a row.
Tensor toSparse(Graph& graph, const BSMatMulImpl& p, const Tensor& lhs, const Tensor& rhs, std::size_t group, Sequence& prog,
                const poplar::DebugContext& name) {
  std::vector<Tensor> left, right;
  std::vector<float> kept;
  for (const std::size_t place : p.blocksOf(group)) {
    const std::size_t row = place / p.blocksAlong(2), column = place % p.blocksAlong(2);
    left.push_back(lhs.slice(row * p.block[0], (row + 1) * p.block[0], 0).expand({0}));
    right.push_back(rhs.slice(column * p.block[2], (column + 1) * p.block[2], 1).expand({0}));
    for (std::size_t r = row * p.block[0]; r < (row + 1) * p.block[0]; ++r)
      for (std::size_t c = column * p.block[2]; c < (column + 1) * p.block[2]; ++c)
        kept.push_back(p.inside == SubBlockMask::ZeroUpperTriangle && c > r   ? 0.0F
                       : p.inside == SubBlockMask::ZeroLowerTriangle && c < r ? 0.0F
                                                                              : 1.0F);
  }
  if (left.empty()) return {};
  const Tensor blocks = poplin::matMulGrouped(graph, poplar::concat(left), poplar::concat(right), prog, p.in, name,
                                              {{"partialsType", p.partial == poplar::HALF ? "half" : "float"}});
  const Tensor result = blocks.reshape({blocks.dim(0), p.blockElements()});
  if (p.inside == SubBlockMask::None) return result;
  const Tensor mask =
      graph.addConstant(poplar::FLOAT, result.shape(), poplar::ArrayRef<float>(kept), poplar::DebugContext(name, "mask"));
  poputil::mapTensorLinearly(graph, mask);
  return popops::mul(graph, result, popops::cast(graph, mask, p.in, prog, name), prog, name);
}

} // namespace

BSMatMulParams::BSMatMulParams(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                               const std::vector<unsigned char>& rhsSparsity, bool rhsNeedTranspose, poplar::Type inDataType,
                               poplar::Type outDataType, poplar::Type partialDataType, unsigned numGroupsIn)
    : impl(checked(dim, blockSize, rhsSparsity, inDataType, numGroupsIn, rhsNeedTranspose, false)) {
  impl->out = outDataType, impl->partial = partialDataType;
}
BSMatMulParams::BSMatMulParams(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                               const std::vector<unsigned char>& resSparsity, poplar::Type inDataType, poplar::Type outDataType,
                               poplar::Type partialDataType, SubBlockMask subBlockMask, unsigned numGroupsIn)
    : impl(checked(dim, blockSize, resSparsity, inDataType, numGroupsIn, false, true)) {
  impl->out = outDataType, impl->partial = partialDataType;
  impl->inside = subBlockMask;
}
BSMatMulParams::BSMatMulParams(BSMatMulParams&& other) = default;
BSMatMulParams::~BSMatMulParams() = default;

Tensor createBSMatMulInputLHS(Graph& graph, const BSMatMulParams& bsMatMul, const poplar::DebugContext& name,
                              const poplar::OptionFlags& options) {
  sp::ignoreOptions("popsparse::experimental::createBSMatMulInputLHS", options);
  const BSMatMulImpl& p = *bsMatMul.impl;
  return made(graph, p.in, p.groups * p.dim[0], p.dim[1], name);
}
Tensor createBSMatMulInputRHS(Graph& graph, const BSMatMulParams& bsMatMul, const poplar::DebugContext& name,
                              const poplar::OptionFlags& options) {
  sp::ignoreOptions("popsparse::experimental::createBSMatMulInputRHS", options);
  const BSMatMulImpl& p = *bsMatMul.impl;
  if (p.isResultSparse) return made(graph, p.in, p.groups * p.dim[1], p.dim[2], name);
  return made(graph, p.in, p.allBlocks(), p.blockElements(), name);
}

Tensor bsMatMul(Graph& graph, const BSMatMulParams& bsMatMul, Sequence& prog, const Tensor& lhsMatrix, const Tensor& rhsMatrix,
                const poplar::OptionFlags& options, const poplar::DebugContext& debugContext) {
  const BSMatMulImpl& p = *bsMatMul.impl;
  sp::ignoreOptions("popsparse::experimental::bsMatMul", options);
  requireShape("left", lhsMatrix, p.groups * p.dim[0], p.dim[1]);
  if (p.isResultSparse)
    requireShape("right", rhsMatrix, p.groups * p.dim[1], p.dim[2]);
  else
    requireShape("right", rhsMatrix, p.allBlocks(), p.blockElements());
  std::vector<Tensor> results;
  std::size_t done = 0; // blocks of the previous groups
  for (std::size_t g = 0; g < p.groups; ++g) {
    const Tensor lhs = lhsMatrix.slice(g * p.dim[0], (g + 1) * p.dim[0], 0);
    Tensor result;
    if (p.isResultSparse) {
      result = toSparse(graph, p, lhs, rhsMatrix.slice(g * p.dim[1], (g + 1) * p.dim[1], 0), g, prog, debugContext);
    } else {
      const std::size_t count = p.blocksOf(g).size();
      result = timesSparse(graph, p, lhs, rhsMatrix.slice(done, done + count, 0), g, prog, debugContext);
      done += count;
    }
    if (result.valid()) results.push_back(result);
  }
  if (results.empty()) throw poputil::poplibs_error("bsMatMul: all blocks of the result are zero");
  const Tensor all = poplar::concat(results);
  return p.out == p.in ? all : popops::cast(graph, all, p.out, prog, debugContext);
}

} // namespace popsparse::experimental
