// Labels of sequences of class probabilities [maxTime, batch, classes] by beam search. The simulated time is that of the steps:
// each step computes the candidates of all beams and selects the best.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "popnn/CTCPlan.hpp"

#include <cstddef>
#include <tuple>

namespace popnn {
namespace ctc_infer {

ctc::Plan plan(const poplar::Graph& graph, const poplar::Type& inType, unsigned batchSize, unsigned maxTime, unsigned numClasses,
               unsigned beamwidth, const poplar::OptionFlags& options = {});
poplar::Tensor createDataInput(poplar::Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                               const std::size_t maxTime, const std::size_t numClasses, const ctc::Plan& plan,
                               const poplar::DebugContext& debugContext = {});
// The `topPaths` best labels of each sample: the log of their probability [batch, topPaths], their lengths [batch, topPaths], and
// the labels [batch, topPaths, maxTime], UNSIGNED_INT, filled up with the largest number. dataLengths is [batch]. Throws
// poputil::poplibs_error for other shapes and for more paths than beams.
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor>
beamSearchDecoderLogProbabilities(poplar::Graph& graph, const poplar::Tensor& logProbs, const poplar::Tensor& dataLengths,
                                  poplar::program::Sequence& prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
                                  const ctc::Plan& plan, const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor>
beamSearchDecoderLogits(poplar::Graph& graph, const poplar::Tensor& logits, const poplar::Tensor& dataLengths,
                        poplar::program::Sequence& prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
                        const ctc::Plan& plan, const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {});

} // namespace ctc_infer
} // namespace popnn
