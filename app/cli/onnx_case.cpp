#include "app/cli/onnx_case.h"

#include "analyser/session/format.h"
#include "reports/rows/report_sink.h"
#include "simcore/model/lowering.h"
#include "simcore/model/onnx_reader.h"
#include "simcore/model/tensor_files.h"
#include "simcore/run/simulate.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using simcore::numerics::HostTensor;

constexpr const char* kDataSet = "test_data_set_";

// Tests look at numbers only: the rows of the report go nowhere.
class DiscardedRows final : public reports::ForwardingSink<DiscardedRows> {
public:
  template<class Row> void receive(const Row&) {}
};

// input_0, input_1 … or output_0, … of a data set, .pb or .npy.
std::vector<HostTensor> readNumbered(const fs::path& folder, const std::string& prefix) {
  std::vector<HostTensor> tensors;
  for (;;) {
    const std::string stem = prefix + std::to_string(tensors.size());
    fs::path file = folder / (stem + ".pb");
    if (!fs::exists(file)) file = folder / (stem + ".npy");
    if (!fs::exists(file)) return tensors;
    tensors.push_back(simcore::model::readTensorFile(file));
  }
}

NamedTensors inputsByName(const fs::path& modelFile, std::vector<HostTensor> values) {
  const auto model = simcore::model::readOnnx(modelFile);
  NamedTensors named;
  if (values.size() > model.graph.inputs.size())
    throw Error(ErrorCode::InvalidInput,
                std::to_string(values.size()) + " inputs are given, the model has " + std::to_string(model.graph.inputs.size()));
  for (std::size_t i = 0; i < values.size(); ++i) named.emplace(model.graph.inputs[i].name, std::move(values[i]));
  return named;
}

void runAndCompare(const fs::path& modelFile, const fs::path& dataSet, const CaseOptions& options, const std::stop_token& stop,
                   reports::Progress& progress, CaseResult& result) {
  const NamedTensors given = inputsByName(modelFile, readNumbered(dataSet, "input_"));
  const auto expected = readNumbered(dataSet, "output_");
  const auto model = resolveModel(modelFile, given, stop, progress);
  if (expected.size() != model.graph.outputs.size())
    throw Error(ErrorCode::InvalidInput, std::to_string(expected.size()) + " outputs are expected, the model has " +
                                             std::to_string(model.graph.outputs.size()));
  auto workload = simcore::model::lower(model, options.machine, {options.precision});
  workload.inputs = inputValues(model, given, 0);
  DiscardedRows rows;
  simcore::run::HostTimeline timeline("tilescope-cli");
  const auto ran = simcore::run::simulate(workload, {}, rows, timeline, stop, progress);
  if (!ran.fits) throw Error(ErrorCode::OutOfMemory, "does not fit " + options.machine.title);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string& name = model.graph.outputs[i].name;
    const auto received = ran.outputs.find(name);
    if (received == ran.outputs.end() || received->second.empty())
      throw Error(ErrorCode::Internal, "nothing was received from the output '" + name + "'");
    std::string reason;
    double error = 0;
    // The machine may hold an output in another type (fp16 for float); the model says what users get.
    const auto type = model.graph.types.find(name);
    const HostTensor& last = received->second.back();
    const HostTensor got = type == model.graph.types.end() ? last : last.cast(type->second.type);
    const bool close = allClose(got, expected[i], options.tolerance, error, reason);
    result.maxError = std::max(result.maxError, error);
    if (close) continue;
    result.verdict = CaseResult::Verdict::Failed;
    if (result.reason.empty()) result.reason = "output '" + name + "': " + reason;
  }
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
  result.model = modelFile.filename() == "model.onnx" ? modelFile.parent_path().filename().string() : modelFile.stem().string();
  result.dataSet = dataSet.filename().string();
  try {
    runAndCompare(modelFile, dataSet, options, stop, progress, result);
  } catch (const reports::Cancelled&) {
    throw;
  } catch (const Error& e) {
    result.verdict = e.code() == ErrorCode::Unsupported ? CaseResult::Verdict::Unsupported : CaseResult::Verdict::Failed;
    result.reason = e.what();
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
