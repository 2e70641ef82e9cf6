#include "app/cli/half_diagnosis.h"

#include "analyser/session/format.h"
#include "simcore/model/graph/evaluate.h"

#include <cmath>

namespace app::cli {

using simcore::model::EvaluationOptions;
using simcore::model::Model;
using simcore::model::Node;
using simcore::model::Tensors;
using simcore::numerics::HostTensor;

namespace {

constexpr double kLargestHalf = 65504, kRoundsToInfinity = 65520;

// The largest finite magnitude among float results.
double largest(const Tensors& results) {
  double most = 0;
  for (const HostTensor& result : results) {
    if (result.type() != simcore::numerics::ElementType::Float) continue;
    for (const float v : result.values<float>())
      if (std::isfinite(v)) most = std::max(most, std::abs(double(v)));
  }
  return most;
}

bool isFinite(const Tensors& results) {
  for (const HostTensor& result : results)
    if (result.type() == simcore::numerics::ElementType::Float)
      for (const float v : result.values<float>())
        if (!std::isfinite(v)) return false;
  return true;
}

} // namespace

std::optional<std::string> leavesHalfRange(const Model& model, const NamedTensors& inputs, const std::stop_token& stop) {
  std::optional<std::string> first, firstInfinite;
  const std::string end = ", fp16 ends at " + analyser::formatCount(int64_t(kLargestHalf));
  const auto note = [&](const std::string& what, double value) {
    if (!first && value >= kRoundsToInfinity) first = what + " gives " + analyser::formatThreeDigits(value) + end;
  };
  for (const auto& [name, value] : inputs) note("input '" + name + "'", largest({value}));
  EvaluationOptions options;
  options.halfPrecision = true;
  options.stop = stop;
  options.observesSubgraphs = true;
  options.observe = [&](const Node& node, const Tensors& results) {
    const std::string what = node.label() + " (" + node.opType + ")";
    note(what, largest(results));
    if (!firstInfinite && !isFinite(results)) firstInfinite = what + " gives no finite number" + end;
  };
  const Tensors outputs = simcore::model::evaluate(model, inputs, options);
  // A constant that is infinite in fp16 may do no harm (a mask), or all of it.
  return first || isFinite(outputs) ? first : firstInfinite;
}

std::optional<std::string> isTooSensitiveForHalf(const Model& model, const NamedTensors& inputs, std::size_t output,
                                                 const HostTensor& expected, const Tolerance& tolerance,
                                                 const std::stop_token& stop) {
  Model rounded = model;
  for (auto& [name, value] : rounded.graph.initialisers) value = value.roundedToHalf();
  NamedTensors given;
  for (const auto& [name, value] : inputs) given.emplace(name, value.roundedToHalf());
  EvaluationOptions options;
  options.stop = stop;
  const Tensors got = simcore::model::evaluate(rounded, given, options);
  double error = 0;
  std::string reason;
  if (!allClose(got.at(output), expected, tolerance, error, reason))
    return "inputs and weights rounded to fp16 alone move output '" + model.graph.outputs[output].name + "' by " +
           analyser::formatThreeDigits(error) + ": " + reason;
  return std::nullopt;
}

} // namespace app::cli
