// Convolutions of one, two or three field dimensions. Tensors: in [N, G * Cin, field ..], weights [G, Cout, Cin, kernel ..], out
// [N, G * Cout, field ..]. Options: availableMemoryProportion, partialsType ("half", "float"), pass.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplin/ConvParams.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <set>
#include <tuple>

namespace poplin {

class PlanningCacheImpl;
// The plans of preplan(). The planner keeps all plans of the process, so it plans equal convolutions once even without a cache.
class PlanningCache {
public:
  PlanningCache();
  ~PlanningCache();
  std::size_t size() const;
  std::unique_ptr<PlanningCacheImpl> impl;
};

std::uint64_t getFwdFlops(const ConvParams& params);
std::uint64_t getBwdFlops(const ConvParams& params);
std::uint64_t getWuFlops(const ConvParams& params);
double getFwdPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params);
double getBwdPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params);
double getWuPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params);

// Create operands, mapped to tiles for the plan of the convolution.
poplar::Tensor createWeights(poplar::Graph& graph, const ConvParams& params, const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor createBiases(poplar::Graph& graph, const poplar::Tensor& activations,
                            const poplar::DebugContext& debugContext = {"biases"});
poplar::Tensor createBiases(poplar::Graph& graph, const poplar::Tensor& activations, const ConvParams& params,
                            const poplar::DebugContext& debugContext = {"biases"}, const poplar::OptionFlags& options = {},
                            PlanningCache* cache = nullptr);
poplar::Tensor createInput(poplar::Graph& graph, const ConvParams& params, const poplar::DebugContext& debugContext = {},
                           const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor createConvOutput(poplar::Graph& graph, const ConvParams& params, const poplar::DebugContext& debugContext = {},
                                const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

// `transposeAndFlipWeights`: `weights` come from the forward pass, to compute the gradient of its input. These functions throw
// poplibs_error if shapes or types differ from the parameters.
poplar::Tensor convolution(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& weights,
                           const ConvParams& params, bool transposeAndFlipWeights, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                           PlanningCache* cache = nullptr);
void convolutionWithOutput(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& weights,
                           const poplar::Tensor& out, const ConvParams& params, bool transposeAndFlipWeights,
                           poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                           const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

using ConvPlanParams = std::tuple<const poplar::Target*, const ConvParams, const poplar::OptionFlags*>;
void preplanConvolutions(const std::set<ConvPlanParams>& convolutions, PlanningCache& cache);
void preplanConvolutions(poplar::Graph& graph, const std::set<ConvPlanParams>& convolutions, PlanningCache& cache);

// Exchanges output and input channels, and reverses the kernel.
void weightsTransposeChansFlipXY(poplar::Graph& graph, const poplar::Tensor& weightsIn, const poplar::Tensor& weightsOut,
                                 poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {});

// The gradient of the weights, computed from the input and the gradient of the output. `params`: of the forward pass.
poplar::Tensor calculateWeightDeltas(poplar::Graph& graph, const poplar::Tensor& zDeltas, const poplar::Tensor& activations,
                                     const ConvParams& params, poplar::program::Sequence& prog,
                                     const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                     PlanningCache* cache = nullptr);
// weights += scale * their gradient
void convolutionWeightUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas, const poplar::Tensor& weights,
                             const poplar::Tensor& activations, ConvParams params, const poplar::Tensor& scale,
                             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void convolutionWeightUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas, const poplar::Tensor& weights,
                             const poplar::Tensor& activations, ConvParams params, float scale, poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);
// biases += scale * sum of the deltas of their channel
void convolutionBiasUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas, const poplar::Tensor& biases,
                           const poplar::Tensor& scale, const poplar::OptionFlags& options, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});
void convolutionBiasUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas, const poplar::Tensor& biases, float scale,
                           const poplar::OptionFlags& options, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});
// in [N, C, ..] += biases [C]
void addBias(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& biases, poplar::program::Sequence& prog,
             const poplar::DebugContext& debugContext = {});

void reportPlanInfo(std::ostream& out, const poplar::Graph& graph, const ConvParams& params,
                    const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
// Prints the plan of the weights' gradient.
void reportWeightUpdatePlanInfo(std::ostream& out, const poplar::Graph& graph, const ConvParams& fwdParams,
                                const poplar::OptionFlags& fwdOptions = {}, PlanningCache* cache = nullptr);
// Weights of a fully connected layer [G, Cout, Cin, 1] -> those of its backward pass [G, Cin, Cout, 1]; `params` are those of the
// backward pass.
poplar::Tensor fullyConnectedWeightTranspose(poplar::Graph& graph, poplar::Tensor weights, const ConvParams& params,
                                             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                             const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
struct PlanCosts {
  std::size_t cycles;
  std::size_t memory; // bytes
  constexpr static std::size_t unknown = std::numeric_limits<std::size_t>::max();
};
PlanCosts reportPlanEstimatedCosts(const poplar::Graph& graph, const ConvParams& params, const poplar::OptionFlags& options = {},
                                   PlanningCache* cache = nullptr);

// Throws poplar::invalid_option for an invalid value.
void convolutionValidateOptions(const poplar::OptionFlags& options);

} // namespace poplin
