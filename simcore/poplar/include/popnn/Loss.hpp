// Losses of outputs [N, C] against class numbers [N], with the gradients that start backpropagation.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "popops/EncodingConstants.hpp"

#include <utility>

namespace popnn {

enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

// `expected`: class numbers [N], or target outputs [N, C]. Writes `loss` [N] and `deltas` [N, C]. SUM_SQUARED_LOSS: half of the
// sum of (output - target)^2; CROSS_ENTROPY_LOSS: -log of the output of the class, where outputs are probabilities. Deltas are
// output - target. `numCorrect` is one element: the number of rows whose largest output is at their class. A row whose class
// (UNSIGNED_INT) is MASKED_LABEL_CODE has loss and deltas of 0 and is not counted as correct. Throws poplibs_error for
// incompatible shapes.
poplar::program::Program calcLoss(poplar::Graph& graph, const poplar::Tensor& modelOutputs, const poplar::Tensor& expected,
                                  const poplar::Tensor& loss, const poplar::Tensor& deltas, LossType lossType,
                                  const poplar::DebugContext& debugContext = {});
poplar::program::Program calcLoss(poplar::Graph& graph, const poplar::Tensor& modelOutputs, const poplar::Tensor& expected,
                                  const poplar::Tensor& loss, const poplar::Tensor& deltas, const poplar::Tensor& numCorrect,
                                  LossType lossType, const poplar::DebugContext& debugContext = {});
// The same with two scales of one element each: outputs are divided by `modelOutputScaling` first, deltas are multiplied by
// `deltasScale` at the end.
poplar::program::Program calcLoss(poplar::Graph& graph, const poplar::Tensor& modelOutputs, const poplar::Tensor& expected,
                                  const poplar::Tensor& loss, const poplar::Tensor& deltas, const poplar::Tensor& deltasScale,
                                  const poplar::Tensor& modelOutputScaling, LossType lossType,
                                  const poplar::DebugContext& debugContext = {});
poplar::program::Program calcLoss(poplar::Graph& graph, const poplar::Tensor& modelOutputs, const poplar::Tensor& expected,
                                  const poplar::Tensor& loss, const poplar::Tensor& deltas, const poplar::Tensor& deltasScale,
                                  const poplar::Tensor& modelOutputScaling, const poplar::Tensor& numCorrect, LossType lossType,
                                  const poplar::DebugContext& debugContext = {});
poplar::program::Program calcAccuracy(poplar::Graph& graph, const poplar::Tensor& modelOutputs, const poplar::Tensor& expected,
                                      const poplar::Tensor& numCorrect, const poplar::DebugContext& debugContext = {});
// Positions (UNSIGNED_INT [N]) of the largest and smallest element of each row, optionally with the elements themselves.
poplar::Tensor argMax(poplar::Graph& graph, const poplar::Tensor& input, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor> maxAndArgMax(poplar::Graph& graph, const poplar::Tensor& input,
                                                       poplar::program::Sequence& prog,
                                                       const poplar::DebugContext& debugContext = {});
poplar::Tensor argMin(poplar::Graph& graph, const poplar::Tensor& input, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor> minAndArgMin(poplar::Graph& graph, const poplar::Tensor& input,
                                                       poplar::program::Sequence& prog,
                                                       const poplar::DebugContext& debugContext = {});
// The k largest elements of each row [batch, 1, k], largest first if `sort`, and their positions, of the same shape.
poplar::Tensor topK(poplar::Graph& graph, const poplar::Tensor& input, poplar::Tensor& indices, unsigned k, bool sort,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace popnn
