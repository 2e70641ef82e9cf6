// Activation functions of a tensor, in place or new, and their gradients. Softmaxes are over the last dimension.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "popnn/NonLinearityDef.hpp"
#include "popnn/NonLinearityDefUtil.hpp"

namespace popnn {

void nonLinearityInPlace(poplar::Graph& graph, NonLinearityType type, poplar::Tensor tensor, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});
// Sets `nonLinearityScaling` to the factor of the results: 16384 for SOFTMAX_SCALED of half tensors, else 1.
void nonLinearityInPlace(poplar::Graph& graph, NonLinearityType type, poplar::Tensor tensor, float& nonLinearityScaling,
                         poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
poplar::Tensor nonLinearity(poplar::Graph& graph, NonLinearityType type, poplar::Tensor tensor, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {});
poplar::Tensor nonLinearity(poplar::Graph& graph, NonLinearityType type, poplar::Tensor tensor, float& nonLinearityScaling,
                            poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// The gradient of the input. `act` is the result of the forward pass; for gelus and swish its input.
poplar::Tensor nonLinearityInputGradient(poplar::Graph& graph, NonLinearityType type, poplar::Tensor act,
                                         poplar::Tensor outGradient, poplar::program::Sequence& prog,
                                         const poplar::DebugContext& debugContext = {});
// Adds vertices to the caller's compute set, on the tiles of the tensor (of the result). Throws poplibs_error for a softmax,
// which needs several sets.
void nonLinearityInPlace(poplar::Graph& graph, NonLinearityType type, poplar::Tensor tensor, poplar::ComputeSet& cs,
                         const poplar::DebugContext& debugContext = {});
void nonLinearityInPlace(poplar::Graph& graph, NonLinearityType type, poplar::Tensor tensor, float& nonLinearityScaling,
                         poplar::ComputeSet& cs, const poplar::DebugContext& debugContext = {});
poplar::Tensor nonLinearityInputGradient(poplar::Graph& graph, NonLinearityType type, poplar::Tensor act,
                                         poplar::Tensor outGradient, poplar::ComputeSet& cs,
                                         const poplar::DebugContext& debugContext = {});

#define TILESCOPE_NON_LINEARITY(NAME, KIND)                                                                                      \
  inline void NAME##InPlace(poplar::Graph& graph, poplar::Tensor tensor, poplar::program::Sequence& prog,                        \
                            const poplar::DebugContext& debugContext = {}) {                                                     \
    nonLinearityInPlace(graph, NonLinearityType::KIND, tensor, prog, debugContext);                                              \
  }                                                                                                                              \
  inline void NAME##InPlace(poplar::Graph& graph, poplar::Tensor tensor, float& nonLinearityScaling,                             \
                            poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {}) {                    \
    nonLinearityInPlace(graph, NonLinearityType::KIND, tensor, nonLinearityScaling, prog, debugContext);                         \
  }                                                                                                                              \
  inline poplar::Tensor NAME(poplar::Graph& graph, poplar::Tensor tensor, poplar::program::Sequence& prog,                       \
                             const poplar::DebugContext& debugContext = {}) {                                                    \
    return nonLinearity(graph, NonLinearityType::KIND, tensor, prog, debugContext);                                              \
  }                                                                                                                              \
  inline poplar::Tensor NAME(poplar::Graph& graph, poplar::Tensor tensor, float& nonLinearityScaling,                            \
                             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {}) {                   \
    return nonLinearity(graph, NonLinearityType::KIND, tensor, nonLinearityScaling, prog, debugContext);                         \
  }
TILESCOPE_NON_LINEARITY(sigmoid, SIGMOID)
TILESCOPE_NON_LINEARITY(hardSigmoid, HARD_SIGMOID)
TILESCOPE_NON_LINEARITY(relu, RELU)
TILESCOPE_NON_LINEARITY(tanh, TANH)
TILESCOPE_NON_LINEARITY(gelu, GELU)
TILESCOPE_NON_LINEARITY(geluErf, GELU_ERF)
TILESCOPE_NON_LINEARITY(swish, SWISH)
TILESCOPE_NON_LINEARITY(softmax, SOFTMAX)
TILESCOPE_NON_LINEARITY(softmaxStable, SOFTMAX_STABLE)
TILESCOPE_NON_LINEARITY(scaledSoftmaxStable, SOFTMAX_SCALED)
#undef TILESCOPE_NON_LINEARITY

} // namespace popnn
