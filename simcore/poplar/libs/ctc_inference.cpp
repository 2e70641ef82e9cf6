#include "popnn/CTCInference.hpp"

#include "popnn/LogSoftmax.hpp"
#include "simcore/ops/sort/sort.h"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/log_probability.h"

#include <algorithm>
#include <map>

namespace popnn::ctc_infer {

namespace sp = simcore::poplar;
namespace sg = simcore::graph;
namespace ops = simcore::ops;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;
using sp::kImpossible;
using sp::sumOfLogs;

namespace {

using Labels = std::vector<std::int64_t>;
struct Beam {
  double blank = kImpossible, label = kImpossible; // log probabilities that the last step was a blank, or a label
  double total() const { return sumOfLogs(blank, label); }
};

// Prefix beam search: `at(t, c)` is the log of the probability of class c in step t.
template<class F>
std::vector<std::pair<Labels, double>> best(std::int64_t steps, std::int64_t classes, std::int64_t blank, std::size_t width,
                                            F at) {
  std::map<Labels, Beam> beams{{Labels{}, Beam{0, kImpossible}}};
  for (std::int64_t t = 0; t < steps; ++t) {
    std::map<Labels, Beam> next;
    for (const auto& [labels, beam] : beams) {
      Beam& same = next[labels];
      same.blank = sumOfLogs(same.blank, beam.total() + at(t, blank));
      if (!labels.empty()) same.label = sumOfLogs(same.label, beam.label + at(t, labels.back()));
      for (std::int64_t c = 0; c < classes; ++c) {
        if (c == blank) continue;
        Labels longer = labels;
        longer.push_back(c);
        Beam& more = next[longer];
        more.label = sumOfLogs(more.label, at(t, c) + (!labels.empty() && labels.back() == c ? beam.blank : beam.total()));
      }
    }
    std::vector<std::pair<Labels, Beam>> order(next.begin(), next.end());
    const auto likelier = [](const auto& a, const auto& b) { return a.second.total() > b.second.total(); };
    std::stable_sort(order.begin(), order.end(), likelier);
    order.resize(std::min(order.size(), width));
    beams = {order.begin(), order.end()};
  }
  std::vector<std::pair<Labels, double>> found;
  for (const auto& [labels, beam] : beams) found.emplace_back(labels, beam.total());
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return found;
}

struct Search {
  std::int64_t blank = 0, width = 0, paths = 0;
  friend void fields(sp::Archive& a, Search& s) { a(s.blank, s.width, s.paths); }
};

std::vector<HostTensor> searched(const std::vector<HostTensor>& in, const Search& search, ElementType type) {
  const sg::Shape& shape = in[0].shape();
  const std::int64_t steps = shape[0], batch = shape[1], classes = shape[2];
  const std::vector<double> logs = in[0].toDoubles();
  std::vector<double> logsOfPaths, lengths, labels;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t length = std::clamp(std::int64_t(in[1].at(b)), std::int64_t(0), steps);
    auto found = best(length, classes, search.blank, std::size_t(search.width),
                      [&](std::int64_t t, std::int64_t c) { return logs[std::size_t((t * batch + b) * classes + c)]; });
    found.resize(std::size_t(search.paths), {Labels{}, kImpossible});
    for (const auto& [path, log] : found) {
      logsOfPaths.push_back(log);
      lengths.push_back(double(path.size()));
      for (std::int64_t t = 0; t < steps; ++t)
        labels.push_back(std::size_t(t) < path.size() ? double(path[std::size_t(t)]) : double(UINT32_MAX));
    }
  }
  return {HostTensor::of({batch, search.paths}, logsOfPaths).cast(type),
          HostTensor::of({batch, search.paths}, lengths).cast(ElementType::UInt32),
          HostTensor::of({batch, search.paths, steps}, labels).cast(ElementType::UInt32)};
}

// Adds the time: each step adds two logarithms for all candidates and selects the best.
void timedSteps(const ops::OpBuilder& b, const sg::Tensor& logs, std::int64_t width) {
  const std::int64_t candidates = width * logs.dim(2);
  const sg::Tensor scores = b.output(ElementType::Float, {logs.dim(1), candidates}, "candidates",
                                     b.linear(logs.dim(1) * candidates, ElementType::Float));
  sg::Sequence body;
  const ops::OpBuilder step = b.timeOnly().into(body);
  sp::timeSumOfLogs(step, scores);
  ops::topK(step, scores, std::min(width, candidates), 1, true);
  b.program().add(sg::program::repeat(logs.dim(0), body, "beamSearch", b.context()));
}

} // namespace

ctc::Plan plan(const Graph&, const poplar::Type&, unsigned batchSize, unsigned maxTime, unsigned numClasses, unsigned beamwidth,
               const OptionFlags& options) {
  sp::ignoreOptions("popnn::ctc_infer::plan", options);
  return ctc::Plan(std::array<std::size_t, 4>{batchSize, maxTime, beamwidth, numClasses});
}
Tensor createDataInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize, const std::size_t maxTime,
                       const std::size_t numClasses, const ctc::Plan&, const DebugContext& debugContext) {
  return graph.addVariable(type, {maxTime, batchSize, numClasses}, poplar::VariableMappingMethod::LINEAR, debugContext);
}

std::tuple<Tensor, Tensor, Tensor> beamSearchDecoderLogProbabilities(Graph& graph, const Tensor& logProbs,
                                                                     const Tensor& dataLengths, Sequence& prog,
                                                                     unsigned blankClass, unsigned beamwidth, unsigned topPaths,
                                                                     const ctc::Plan&, const DebugContext& debugContext,
                                                                     const OptionFlags& options) {
  const char* call = "popnn::ctc_infer::beamSearchDecoder";
  sp::ignoreOptions(call, options);
  const auto refuse = [&](const std::string& why) { throw poputil::poplibs_error(std::string(call) + ": " + why); };
  if (logProbs.rank() != 3) refuse("the data " + logProbs.getDebugStr() + " are not [time, batch, classes]");
  if (dataLengths.numElements() != logProbs.dim(1))
    refuse("the lengths " + dataLengths.getDebugStr() + " must have " + std::to_string(logProbs.dim(1)) + " elements");
  if (blankClass >= logProbs.dim(2))
    refuse("the blank class " + std::to_string(blankClass) + " is not one of " + std::to_string(logProbs.dim(2)) + " classes");
  if (topPaths == 0 || topPaths > beamwidth)
    throw poputil::poplibs_error(std::string(call) + ": topPaths is " + std::to_string(topPaths) +
                                 ", but must be from 1 to the beam width " + std::to_string(beamwidth));
  const Search search{std::int64_t(blankClass), std::int64_t(beamwidth), std::int64_t(topPaths)};
  const auto out = sp::library(
      graph, prog, debugContext, "ctcBeamSearch",
      [](const ops::OpBuilder& b, const auto& logs, const auto& lengths, const auto& search) {
        const sg::Tensor x = sp::inner(logs);
        const Search s = search;
        const ElementType type = x.elementType();
        timedSteps(b, x, s.width);
        const auto output = [&](ElementType of, const sg::Shape& shape, const char* name) {
          std::int64_t elements = 1;
          for (const std::int64_t extent : shape) elements *= extent;
          return b.output(of, {elements}, name, b.linear(elements, of)).reshape(shape);
        };
        const std::vector<sg::Tensor> out{output(type, {x.dim(1), s.paths}, "labelProbs"),
                                          output(ElementType::UInt32, {x.dim(1), s.paths}, "labelLengths"),
                                          output(ElementType::UInt32, {x.dim(1), s.paths, x.dim(0)}, "decodedLabels")};
        b.compute({x, sp::inner(lengths).flatten()}, out,
                  [s, type](const std::vector<HostTensor>& in) { return searched(in, s, type); });
        return out;
      },
      logProbs, dataLengths, search);
  return {sp::outer(out[0]), sp::outer(out[1]), sp::outer(out[2])};
}
std::tuple<Tensor, Tensor, Tensor> beamSearchDecoderLogits(Graph& graph, const Tensor& logits, const Tensor& dataLengths,
                                                           Sequence& prog, unsigned blankClass, unsigned beamwidth,
                                                           unsigned topPaths, const ctc::Plan& plan,
                                                           const DebugContext& debugContext, const OptionFlags& options) {
  const std::vector<std::size_t> shape = logits.shape();
  if (shape.size() != 3)
    throw poputil::poplibs_error("popnn::ctc_infer: logits " + logits.getDebugStr() + " are not [time, batch, classes]");
  const Tensor logs = logSoftmax(graph, logits.reshape({shape[0] * shape[1], shape[2]}), prog, debugContext).reshape(shape);
  return beamSearchDecoderLogProbabilities(graph, logs, dataLengths, prog, blankClass, beamwidth, topPaths, plan, debugContext,
                                           options);
}

} // namespace popnn::ctc_infer
