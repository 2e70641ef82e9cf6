// Pooling of [N, C, rows, columns] (or one field dimension): averages do not count padding.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "popnn/PoolingDef.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

namespace popnn {
namespace pooling {

struct PoolParams {
  PoolParams(PoolingType type, std::vector<std::size_t> input, std::vector<std::size_t> kernel, std::vector<unsigned> strides,
             std::vector<int> paddingLower, std::vector<int> paddingUpper, std::size_t channels, std::size_t batch,
             poplar::Type elementType)
      : poolingType(type), inputFieldShape(std::move(input)), kernelShape(std::move(kernel)), stride(std::move(strides)),
        inputTruncationOrPaddingLower(std::move(paddingLower)), inputTruncationOrPaddingUpper(std::move(paddingUpper)),
        numChannels(channels), batchSize(batch), dType(elementType) {}

  PoolingType poolingType;
  std::vector<std::size_t> inputFieldShape, kernelShape;
  std::vector<unsigned> stride;
  std::vector<int> inputTruncationOrPaddingLower, inputTruncationOrPaddingUpper; // negative numbers cut
  std::size_t numChannels, batchSize;
  poplar::Type dType;

  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::vector<std::size_t> getOutputFieldShape() const;
};
std::ostream& operator<<(std::ostream& out, const PoolParams& params);
const char* asString(const PoolingType& type);
std::vector<std::size_t> getOutputFieldShape(const PoolParams& params);
std::uint64_t getFwdFlops(const PoolParams& params);
std::uint64_t getBwdFlops(const PoolParams& params);
// Cycles if the vertices of every tile used the whole vector width.
double getFwdPerfectCycleCount(const poplar::Graph& graph, const PoolParams& params);
double getBwdPerfectCycleCount(const poplar::Graph& graph, const PoolParams& params);

poplar::Tensor pool(poplar::Graph& graph, const PoolParams& params, const poplar::Tensor& in, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// The gradient of the input; the second form, for averages and sums, needs no input. The gradient of a maximum goes to every
// element that equals it; `useScaledGradient` throws poplibs_error.
poplar::Tensor poolInputGradient(poplar::Graph& graph, const PoolParams& params, const poplar::Tensor& in,
                                 const poplar::Tensor& pooled, const poplar::Tensor& pooledGradient, bool useScaledGradient,
                                 poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {});
poplar::Tensor poolInputGradient(poplar::Graph& graph, const PoolParams& params, const unsigned fwdChansPerGroup,
                                 const poplar::Tensor& pooledGradient, poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

} // namespace pooling
} // namespace popnn
