#include "app/cli/onnx_case.h"

#include "app/cli/flags.h"

#include "analyser/session/format.h"
#include "reports/rows/report_sink.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph.h"
#include "simcore/model/graph/operator.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/placement/parallelism.h"
#include "simcore/prepare/prepare.h"
#include "simcore/run/simulate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using simcore::model::ModelRequest;
using simcore::model::NamedTensors;
using simcore::model::ResolvedModel;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;

constexpr const char* kDataSet = "test_data_set_";
constexpr double kHalfTolerance = 1e-2; // lowest relative tolerance for files that compute in fp16 themselves

// Tests only need numbers: the rows of the report are discarded.
class DiscardedRows final : public reports::ForwardingSink<DiscardedRows> {
public:
  template<class Row> void receive(const Row&) {}
};

// Shares of the largest value by which outputs may differ because of the precision: two units in the last place for fp16, half a
// unit for F143. bf16 has three bits less than fp16; the machine computes such values in fp32.
constexpr double kHalfShare = 0x1p-9, kQuarterShare = 0x1p-4, kBFloatShare = 0x1p-6;
constexpr double kLeastHalf = 0x1p-24; // the smallest half above zero
Tolerance toleranceFor(const HostTensor& expected, double share, Tolerance tolerance) {
  // Eight bits: stored results are truncated, but ours are rounded to the nearest.
  if (expected.type() == ElementType::BFloat16) tolerance.relative = std::max(tolerance.relative, 0x1p-7);
  if (tolerance.isAbsoluteGiven) return tolerance;
  double largest = 0;
  for (const double v : expected.toDoubles())
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  if (largest == 0) return tolerance; // without a scale, the tolerance stays
  tolerance.absolute = share == 0 ? largest * tolerance.absolute : std::max(largest * share, kLeastHalf);
  return tolerance;
}

simcore::model::Model converted(const simcore::model::Model& model, const CaseOptions& options) {
  return options.quarter ? simcore::model::withQuarterProducts(model, *options.quarter, options.machine) : model;
}

// The outputs of the simulated machine; nothing if it is too small for the model.
std::optional<std::vector<HostTensor>> simulated(const ResolvedModel& resolved, const NamedTensors& given,
                                                 const CaseOptions& options, const std::stop_token& stop,
                                                 reports::Progress& progress) {
  const auto model = converted(resolved.model, options);
  const auto inputs = simcore::model::inputValues(model, given, 0);
  const auto planned = [&](std::shared_ptr<const simcore::graph::MemoryShares> shares) {
    simcore::model::Parallelism parallel; // as in `run` without options: distributed over the machine's IPUs
    parallel.memoryShares = std::move(shares);
    auto workload = simcore::model::inferenceWorkload(model, options.machine, {options.precision}, parallel);
    workload.inputs = inputs;
    return workload;
  };
  auto workload = planned(nullptr);
  simcore::run::SimulateOptions simulation; // plans again if tiles overflow, like `run`
  simulation.replanning.build = [&](const simcore::graph::MemoryShares& shares) {
    return planned(std::make_shared<const simcore::graph::MemoryShares>(shares));
  };
  DiscardedRows rows;
  simcore::run::HostTimeline timeline("tilescope-cli");
  const auto ran = simcore::run::simulate(workload, simulation, rows, timeline, stop, progress);
  if (!ran.fits) return std::nullopt;
  std::vector<HostTensor> outputs;
  for (std::size_t i = 0; i < workload.outputs.size(); ++i) {
    const auto received = ran.outputs.find(workload.outputs[i]);
    if (received == ran.outputs.end() || received->second.empty())
      throw Error(ErrorCode::Internal, "nothing was received from the output '" + workload.outputs[i] + "'");
    // The machine may hold an output in another type (fp16 for float); users get the model's type.
    const auto type = model.graph.types.find(model.graph.outputs[i].name);
    const HostTensor& last = received->second.back();
    outputs.push_back(type == model.graph.types.end() ? last : last.cast(type->second.type));
  }
  return outputs;
}

// Whether the model computes values of this type (fp16, bf16). Other tools round such values at other points.
bool computesIn(ElementType wanted, const simcore::model::Model& model) {
  return std::any_of(model.graph.nodes.begin(), model.graph.nodes.end(), [&](const auto& node) {
    const auto type = node.outputs.empty() ? model.graph.types.end() : model.graph.types.find(node.outputs[0]);
    return type != model.graph.types.end() && type->second.type == wanted;
  });
}

std::vector<HostTensor> onHost(const ResolvedModel& resolved, const NamedTensors& given, const CaseOptions& options,
                               const std::stop_token& stop) {
  NamedTensors values;
  for (const auto& [name, list] : simcore::model::inputValues(resolved.model, given, 0)) values.emplace(name, list.at(0));
  simcore::model::EvaluationOptions evaluation;
  evaluation.halfPrecision = options.precision == ElementType::Half;
  evaluation.stop = stop;
  return simcore::model::evaluate(converted(resolved.model, options), values, evaluation);
}

void runAndCompare(const fs::path& modelFile, const fs::path& dataSet, const CaseOptions& options, const std::stop_token& stop,
                   reports::Progress& progress, CaseResult& result) {
  progress.phase("reading");
  auto read = simcore::model::readOnnx(modelFile);
  ModelRequest request;
  auto inputs = simcore::model::numberedTensors(dataSet, "input_", read.graph.inputs);
  simcore::model::requireEveryTensor(dataSet, "input_", inputs.size(), read.graph.inputs);
  request.given = simcore::model::inputsInOrder(read, std::move(inputs));
  request.disabledPasses = options.disabledPasses;
  request.ignoresDeclaredShapes = true;
  request.half = options.precision == ElementType::Half;
  const auto expected = simcore::model::numberedTensors(dataSet, "output_", read.graph.outputs);
  simcore::model::requireEveryTensor(dataSet, "output_", expected.size(), read.graph.outputs);
  const ResolvedModel resolved = simcore::model::resolveModel(std::move(read), request, stop, progress);
  const auto& outputs = resolved.model.graph.outputs;
  for (const auto& node : resolved.model.graph.nodes)
    if (simcore::model::operatorFor(node).has(simcore::model::kRandom)) {
      result.verdict = CaseResult::Verdict::Skipped;
      result.reason = node.label() + " (" + node.opType + ") gives random numbers, which cannot be compared";
      return;
    }
  const bool isFileHalf = computesIn(ElementType::Half, resolved.model),
             isBFloat = computesIn(ElementType::BFloat16, resolved.model);
  const bool isHalf = isFileHalf || options.precision == ElementType::Half;
  const double share = options.quarter ? kQuarterShare : isBFloat ? kBFloatShare : isHalf ? kHalfShare : 0;
  Tolerance tolerance = options.tolerance;
  if (isFileHalf) tolerance.relative = std::max(tolerance.relative, kHalfTolerance);
  if (isBFloat) tolerance.relative = std::max(tolerance.relative, kBFloatShare);
  const auto ran = simulated(resolved, request.given, options, stop, progress);
  const auto got = ran ? *ran : onHost(resolved, request.given, options, stop);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::string reason;
    double error = 0;
    const bool close = allClose(got[i], expected[i], toleranceFor(expected[i], share, tolerance), error, reason);
    result.maxError = std::max(result.maxError, error);
    result.compared += expected[i].count();
    if (close) continue;
    result.verdict = CaseResult::Verdict::Failed;
    result.reason += (result.reason.empty() ? "output '" : "; output '") + outputs[i].name + "': " + reason;
  }
  if (result.compared == 0 && result.verdict == CaseResult::Verdict::Passed) {
    result.verdict = CaseResult::Verdict::Skipped;
    result.reason = "nothing was compared: the expected outputs have no values";
    return;
  }
  if (!ran && result.verdict != CaseResult::Verdict::Failed) {
    result.verdict = CaseResult::Verdict::DoesNotFit;
    result.reason = "it does not fit " + options.machine.title +
                    (options.machine.ipus > 1 ? " with " + std::to_string(options.machine.ipus) + " IPUs" : "") +
                    "; computed on the host its outputs are as expected (max error " +
                    analyser::formatThreeDigits(result.maxError) + ")";
    return;
  }
  if (result.verdict != CaseResult::Verdict::Failed || options.precision != ElementType::Half) return;
  CaseOptions inFloat = options;
  inFloat.precision = ElementType::Float;
  inFloat.quarter.reset();
  const auto exact = onHost(resolved, request.given, inFloat, stop);
  const auto isFar = [&](const HostTensor& from, const HostTensor& wanted, double& error) {
    std::string reason;
    return !allClose(from, wanted, toleranceFor(wanted, share, tolerance), error, reason);
  };
  for (std::size_t i = 0; i < expected.size(); ++i) // an output that is wrong in fp32, too, is not wrong because of rounding
    if (double error = 0; isFar(exact.at(i), expected[i], error)) return;
  if (const auto first = simcore::model::leavesHalfRange(resolved.model, request.given, stop)) {
    result.verdict = CaseResult::Verdict::OutOfRange;
    result.reason = first->place + " gives " +
                    (first->value ? analyser::formatThreeDigits(*first->value) : std::string("no finite number")) +
                    ", fp16 ends at " + analyser::formatCount(int64_t(simcore::model::kLargestHalf));
    return;
  }
  // Rounding alone, without simulation: for fp8, weights and activations are rounded to 8 bits and the rest is fp32; for fp16,
  // inputs and weights are rounded to fp16.
  inFloat.quarter = options.quarter;
  const auto rounded = options.quarter ? onHost(resolved, request.given, inFloat, stop)
                                       : simcore::model::outputsOfRounded(resolved.model, request.given, stop);
  std::string moved;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double error = 0;
    if (isFar(rounded.at(i), exact[i], error))
      moved += (moved.empty() ? "output '" : ", output '") + outputs[i].name + "' by " + analyser::formatThreeDigits(error);
  }
  if (moved.empty()) return;
  result.verdict = CaseResult::Verdict::TooSensitive;
  result.reason =
      std::string(options.quarter ? "weights and activations rounded to F143" : "inputs and weights rounded to fp16") +
      " alone move " + moved + "; " + result.reason;
}

} // namespace

std::vector<fs::path> testDataSets(const fs::path& modelFolder) {
  std::vector<std::pair<int, fs::path>> sets;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(modelFolder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kDataSet) || !entry.is_directory()) continue;
    int number = 0;
    std::from_chars(name.data() + std::string_view(kDataSet).size(), name.data() + name.size(), number);
    sets.emplace_back(number, entry.path());
  }
  std::sort(sets.begin(), sets.end());
  std::vector<fs::path> paths;
  for (auto& [number, path] : sets) paths.push_back(std::move(path));
  return paths;
}

CaseResult runCase(const fs::path& modelFile, const fs::path& dataSet, const CaseOptions& options, const std::stop_token& stop,
                   reports::Progress& progress) {
  CaseResult result;
  result.model = simcore::model::modelName(modelFile);
  result.dataSet = dataSet.filename().string();
  try {
    runAndCompare(modelFile, dataSet, options, stop, progress, result);
  } catch (const reports::Cancelled&) {
    throw;
  } catch (const Error& e) {
    result.verdict = e.code() == ErrorCode::Unsupported ? CaseResult::Verdict::Unsupported : CaseResult::Verdict::Failed;
    result.reason = withFlags(e.what());
  }
  return result;
}

bool allClose(const HostTensor& got, const HostTensor& expected, const Tolerance& tolerance, double& maxError,
              std::string& reason) {
  maxError = 0;
  if (got.type() != expected.type()) {
    reason = "the type is " + std::string(simcore::numerics::elementTypeName(got.type())) + ", not " +
             std::string(simcore::numerics::elementTypeName(expected.type()));
    return false;
  }
  if (got.shape() != expected.shape()) {
    reason = "the shape differs from the expected one";
    return false;
  }
  int64_t far = 0;
  for (int64_t i = 0; i < got.count(); ++i) {
    const double g = got.at(i), e = expected.at(i);
    if (g == e || (std::isnan(g) && std::isnan(e))) continue;
    const bool finite = std::isfinite(g) && std::isfinite(e);
    const double error = finite ? std::abs(g - e) : std::numeric_limits<double>::infinity();
    maxError = std::max(maxError, error);
    if (!finite || error > tolerance.absolute + tolerance.relative * std::abs(e)) ++far;
  }
  if (far) reason = analyser::formatCount(far) + " of " + analyser::formatCount(got.count()) + " values are too far off";
  return far == 0;
}

} // namespace app::cli
