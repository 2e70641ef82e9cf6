#include "popnn/CTCLoss.hpp"

#include "popnn/LogSoftmax.hpp"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/log_probability.h"

#include <algorithm>
#include <cmath>

namespace popnn::ctc {

using namespace simcore::poplar::names;
using simcore::codelets::BinaryOp;
using simcore::codelets::UnaryOp;
using sp::kImpossible;
using sp::sumOfLogs;

namespace {

// For the labels of one sample: the loss, and the probability of each class at each step.
struct Posterior {
  double loss = 0;
  std::vector<double> shares; // [steps, classes], the probabilities
};
// `at(t, c)`: log of the probability of class c in step t. Graves et al. 2006, sections 4.1 and 4.2.
template<class F>
Posterior posterior(const std::vector<std::int64_t>& labels, std::int64_t blank, std::int64_t steps, std::int64_t classes, F at) {
  std::vector<std::int64_t> text{blank};
  for (const std::int64_t label : labels) text.insert(text.end(), {label, blank});
  const auto n = text.size();
  const auto rows = std::size_t(steps);
  Posterior result{0, std::vector<double>(rows * std::size_t(classes), 0)};
  if (steps == 0) {
    result.loss = labels.empty() ? 0 : -kImpossible;
    return result;
  }
  const auto skips = [&](std::size_t s) { return s >= 2 && text[s] != blank && text[s] != text[s - 2]; };
  std::vector<double> alpha(rows * n, kImpossible), beta(rows * n, kImpossible);
  for (std::size_t s = 0; s < std::min<std::size_t>(2, n); ++s) alpha[s] = at(0, text[s]);
  for (std::size_t t = 1; t < rows; ++t)
    for (std::size_t s = 0; s < n; ++s) {
      double sum = alpha[(t - 1) * n + s];
      if (s >= 1) sum = sumOfLogs(sum, alpha[(t - 1) * n + s - 1]);
      if (skips(s)) sum = sumOfLogs(sum, alpha[(t - 1) * n + s - 2]);
      alpha[t * n + s] = sum + at(std::int64_t(t), text[s]);
    }
  for (std::size_t s = n - std::min<std::size_t>(2, n); s < n; ++s) beta[(rows - 1) * n + s] = 0;
  for (std::size_t t = rows - 1; t-- > 0;)
    for (std::size_t s = 0; s < n; ++s) {
      const auto next = [&](std::size_t to) { return beta[(t + 1) * n + to] + at(std::int64_t(t) + 1, text[to]); };
      double sum = next(s);
      if (s + 1 < n) sum = sumOfLogs(sum, next(s + 1));
      if (s + 2 < n && skips(s + 2)) sum = sumOfLogs(sum, next(s + 2));
      beta[t * n + s] = sum;
    }
  double all = alpha[rows * n - 1];
  if (n > 1) all = sumOfLogs(all, alpha[rows * n - 2]);
  result.loss = -all;
  if (all == kImpossible) return result;
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t s = 0; s < n; ++s)
      result.shares[t * std::size_t(classes) + std::size_t(text[s])] += std::exp(alpha[t * n + s] + beta[t * n + s] - all);
  return result;
}

struct Choices {
  std::int64_t blank = 0;
  bool gradient = true, softmax = true, zeroInfinity = false;
  friend void fields(sp::Archive& a, Choices& c) { a(c.blank, c.gradient, c.softmax, c.zeroInfinity); }
};

Choices choicesOf(const char* call, unsigned blank, bool gradient, const OptionFlags& options) {
  sp::ignoreOptions(call, options, {"includeSoftmaxGradient", "zeroInfinity"});
  Choices choices{std::int64_t(blank), gradient, true, false};
  for (const auto& [name, value] : options) {
    if (name == "includeSoftmaxGradient") choices.softmax = value == "true";
    if (name == "zeroInfinity") choices.zeroInfinity = value == "true";
  }
  return choices;
}

// Loss and gradient for the log probabilities in[0].
std::vector<HostTensor> computed(const std::vector<HostTensor>& in, const Choices& c, ElementType type) {
  const sg::Shape& shape = in[0].shape();
  const std::int64_t steps = shape[0], batch = shape[1], classes = shape[2], longest = in[1].shape()[1];
  const std::vector<double> logs = in[0].toDoubles();
  std::vector<double> losses, gradient(logs.size(), 0);
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t length = std::clamp(std::int64_t(in[2].at(b)), std::int64_t(0), steps);
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < std::clamp(std::int64_t(in[3].at(b)), std::int64_t(0), longest); ++i)
      labels.push_back(std::clamp(std::int64_t(in[1].at(b * longest + i)), std::int64_t(0), classes - 1));
    const auto place = [&](std::int64_t t, std::int64_t k) { return std::size_t((t * batch + b) * classes + k); };
    const Posterior p =
        posterior(labels, c.blank, length, classes, [&](std::int64_t t, std::int64_t k) { return logs[place(t, k)]; });
    const bool isInfinite = !std::isfinite(p.loss);
    losses.push_back(isInfinite && c.zeroInfinity ? 0 : p.loss);
    for (std::int64_t t = 0; t < length && c.gradient && !(isInfinite && c.zeroInfinity); ++t)
      for (std::int64_t k = 0; k < classes; ++k)
        gradient[place(t, k)] = (c.softmax ? std::exp(logs[place(t, k)]) : 0) - p.shares[std::size_t(t * classes + k)];
  }
  std::vector<HostTensor> out{HostTensor::vector(losses).cast(type)};
  if (c.gradient) out.push_back(HostTensor::of(shape, gradient).cast(type));
  return out;
}

// Adds the time: each step adds logarithms of three states for every label and blank. A gradient needs a pass in each direction.
void timedPasses(const ops::OpBuilder& b, const sg::Tensor& logs, std::int64_t labels, bool gradient) {
  const std::int64_t states = logs.dim(1) * (2 * labels + 1);
  const sg::Tensor state = b.output(ElementType::Float, {states}, "alpha", b.linear(states, ElementType::Float));
  sg::Sequence body;
  const ops::OpBuilder step = b.timeOnly().into(body);
  sp::timeSumOfLogs(step, state);
  b.program().add(sg::program::repeat((gradient ? 2 : 1) * logs.dim(0), body, "ctc", b.context()));
  if (gradient) ops::binary(b.timeOnly(), BinaryOp::Subtract, ops::unary(b.timeOnly(), UnaryOp::Exp, logs), logs);
}

std::vector<Tensor> calculate(const char* call, Graph& graph, const poplar::Type& outType, const Tensor& logs,
                              const Tensor& labels, const Tensor& dataLengths, const Tensor& labelLengths, Sequence& prog,
                              const Choices& choices, const DebugContext& context) {
  const auto refuse = [&](const std::string& why) { throw poputil::poplibs_error(std::string(call) + ": " + why); };
  if (logs.rank() != 3) refuse("the data " + logs.getDebugStr() + " are not [time, batch, classes]");
  const std::string batch = std::to_string(logs.dim(1));
  if (labels.rank() != 2 || labels.dim(0) != logs.dim(1))
    refuse("the labels " + labels.getDebugStr() + " must have the shape [" + batch + ", length]");
  for (const Tensor* lengths : {&dataLengths, &labelLengths})
    if (lengths->numElements() != logs.dim(1))
      refuse("the lengths " + lengths->getDebugStr() + " must have " + batch + " elements");
  if (std::size_t(choices.blank) >= logs.dim(2))
    refuse("the blank class " + std::to_string(choices.blank) + " is not one of " + std::to_string(logs.dim(2)) + " classes");
  const auto results = sp::library(
      graph, prog, context, "ctcLoss",
      [](const ops::OpBuilder& b, const auto& outType, const auto& logs, const auto& labels, const auto& dataLengths,
         const auto& labelLengths, const auto& choices) {
        const sg::Tensor x = sp::inner(logs), l = sp::inner(labels);
        const ElementType type = sp::inner(outType);
        timedPasses(b, x, l.dim(1), choices.gradient);
        std::vector<sg::Tensor> out{b.output(type, {x.dim(1)}, "loss", b.linear(x.dim(1), type))};
        if (choices.gradient) {
          const sg::Tensor flat = b.output(type, {x.numElements()}, "gradient", b.linear(x.numElements(), type));
          out.push_back(flat.reshape(x.shape()));
        }
        const Choices c = choices;
        b.compute({x, l, sp::inner(dataLengths).flatten(), sp::inner(labelLengths).flatten()}, out,
                  [c, type](const std::vector<HostTensor>& in) { return computed(in, c, type); });
        return out;
      },
      outType, logs, labels, dataLengths, labelLengths, choices);
  std::vector<Tensor> out;
  for (const sg::Tensor& t : results) out.push_back(sp::outer(t));
  return out;
}

Tensor logsOf(Graph& graph, Tensor logits, Sequence& prog, const DebugContext& context) {
  const std::vector<std::size_t> shape = logits.shape();
  if (shape.size() != 3)
    throw poputil::poplibs_error("popnn::ctc: logits " + logits.getDebugStr() + " are not [time, batch, classes]");
  return logSoftmax(graph, logits.reshape({shape[0] * shape[1], shape[2]}), prog, context).reshape(shape);
}

} // namespace

std::ostream& operator<<(std::ostream& out, const Plan& plan) {
  const auto& s = plan.sizes();
  return out << "{ batch: " << s[0] << ", steps: " << s[1] << ", labels: " << s[2] << ", classes: " << s[3] << " }";
}
Plan plan(const Graph&, const poplar::Type&, const poplar::Type&, unsigned batchSize, unsigned maxTime, unsigned maxLabelLength,
          unsigned numClasses, const OptionFlags& options) {
  sp::ignoreOptions("popnn::ctc::plan", options);
  return Plan(std::array<std::size_t, 4>{batchSize, maxTime, maxLabelLength, numClasses});
}
Tensor createDataInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize, const std::size_t maxTime,
                       const std::size_t numClasses, const Plan&, const DebugContext& debugContext) {
  return graph.addVariable(type, {maxTime, batchSize, numClasses}, poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor createLabelsInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize, const std::size_t maxLabelLength,
                         const Plan&, const DebugContext& debugContext) {
  return graph.addVariable(type, {batchSize, maxLabelLength}, poplar::VariableMappingMethod::LINEAR, debugContext);
}

std::pair<Tensor, Tensor> calcLossAndGradientLogProbabilities(Graph& graph, const poplar::Type& outType, const Tensor& logProbs,
                                                              const Tensor& labels, const Tensor& dataLengths,
                                                              const Tensor& labelLengths, Sequence& prog,
                                                              const unsigned blankClass, const Plan&,
                                                              const DebugContext& debugContext, const OptionFlags& options) {
  const char* call = "popnn::ctc::calcLossAndGradientLogProbabilities";
  const auto out = calculate(call, graph, outType, logProbs, labels, dataLengths, labelLengths, prog,
                             choicesOf(call, blankClass, true, options), debugContext);
  return {out[0], out[1]};
}
std::pair<Tensor, Tensor> calcLossAndGradientLogits(Graph& graph, const poplar::Type& outType, const Tensor& logits,
                                                    const Tensor& labels, const Tensor& dataLengths, const Tensor& labelLengths,
                                                    Sequence& prog, const unsigned blankClass, const Plan& plan,
                                                    const DebugContext& debugContext, const OptionFlags& options) {
  return calcLossAndGradientLogProbabilities(graph, outType, logsOf(graph, logits, prog, debugContext), labels, dataLengths,
                                             labelLengths, prog, blankClass, plan, debugContext, options);
}
Tensor calcCTCLossLogProbabilities(Graph& graph, const poplar::Type& outType, const Tensor& logProbs, const Tensor& labels,
                                   const Tensor& dataLengths, const Tensor& labelLengths, Sequence& prog,
                                   const unsigned blankClass, const Plan&, const DebugContext& debugContext,
                                   const OptionFlags& options) {
  const char* call = "popnn::ctc::calcCTCLossLogProbabilities";
  return calculate(call, graph, outType, logProbs, labels, dataLengths, labelLengths, prog,
                   choicesOf(call, blankClass, false, options), debugContext)[0];
}
Tensor calcCTCLossLogits(Graph& graph, const poplar::Type& outType, const Tensor& logits, const Tensor& labels,
                         const Tensor& dataLengths, const Tensor& labelLengths, Sequence& prog, const unsigned blankClass,
                         const Plan& plan, const DebugContext& debugContext, const OptionFlags& options) {
  return calcCTCLossLogProbabilities(graph, outType, logsOf(graph, logits, prog, debugContext), labels, dataLengths, labelLengths,
                                     prog, blankClass, plan, debugContext, options);
}

} // namespace popnn::ctc
