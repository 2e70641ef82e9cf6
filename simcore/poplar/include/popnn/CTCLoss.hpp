// Connectionist temporal classification: the loss of a sequence of class probabilities [maxTime, batch, classes], given labels
// [batch, maxLabelLength] without their positions in time. Options of the calls: includeSoftmaxGradient (default true: the
// gradient is that of the logits), zeroInfinity (default false). The simulated time is that of two passes over the labels with
// blanks, step by step.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "popnn/CTCPlan.hpp"

#include <cstddef>
#include <utility>

namespace popnn {
namespace ctc {

Plan plan(const poplar::Graph& graph, const poplar::Type& inType, const poplar::Type& outType, unsigned batchSize,
          unsigned maxTime, unsigned maxLabelLength, unsigned numClasses, const poplar::OptionFlags& options = {});
poplar::Tensor createDataInput(poplar::Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                               const std::size_t maxTime, const std::size_t numClasses, const Plan& plan,
                               const poplar::DebugContext& debugContext = {});
poplar::Tensor createLabelsInput(poplar::Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                                 const std::size_t maxLabelLength, const Plan& plan,
                                 const poplar::DebugContext& debugContext = {});
// The loss [batch], -log of the probability of the labels, and its gradient [maxTime, batch, classes], 0 after the last step of a sample.
// dataLengths and labelLengths are [batch]. Throw poputil::poplibs_error for other shapes.
std::pair<poplar::Tensor, poplar::Tensor>
calcLossAndGradientLogProbabilities(poplar::Graph& graph, const poplar::Type& outType, const poplar::Tensor& logProbs,
                                    const poplar::Tensor& labels, const poplar::Tensor& dataLengths,
                                    const poplar::Tensor& labelLengths, poplar::program::Sequence& prog,
                                    const unsigned blankClass, const Plan& plan, const poplar::DebugContext& debugContext = {},
                                    const poplar::OptionFlags& options = {});
std::pair<poplar::Tensor, poplar::Tensor>
calcLossAndGradientLogits(poplar::Graph& graph, const poplar::Type& outType, const poplar::Tensor& logits,
                          const poplar::Tensor& labels, const poplar::Tensor& dataLengths, const poplar::Tensor& labelLengths,
                          poplar::program::Sequence& prog, const unsigned blankClass, const Plan& plan,
                          const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor calcCTCLossLogProbabilities(poplar::Graph& graph, const poplar::Type& outType, const poplar::Tensor& logProbs,
                                           const poplar::Tensor& labels, const poplar::Tensor& dataLengths,
                                           const poplar::Tensor& labelLengths, poplar::program::Sequence& prog,
                                           const unsigned blankClass, const Plan& plan,
                                           const poplar::DebugContext& debugContext = {},
                                           const poplar::OptionFlags& options = {});
poplar::Tensor calcCTCLossLogits(poplar::Graph& graph, const poplar::Type& outType, const poplar::Tensor& logits,
                                 const poplar::Tensor& labels, const poplar::Tensor& dataLengths,
                                 const poplar::Tensor& labelLengths, poplar::program::Sequence& prog, const unsigned blankClass,
                                 const Plan& plan, const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {});

} // namespace ctc
} // namespace popnn
