// One test case of a model: its inputs and expected outputs from test_data_set_N, run on a simulated machine and compared.
#pragma once

#include "reports/core/progress.h"
#include "simcore/arch/machine.h"
#include "simcore/numerics/host_tensor.h"
#include "simcore/placement/quarter_products.h"

#include <filesystem>
#include <optional>
#include <set>

namespace app::cli {

struct Tolerance {
  double relative = 1e-3;
  // Unless the user sets it, `absolute` is this share of an output's largest value, because values near zero are only as exact as
  // the sums from which they result. In fp16 it is two units in the last place of the largest value; in fp8 it is the largest
  // rounding error, a sixteenth.
  double absolute = 1e-5;
  bool isAbsoluteGiven = false;
};

struct CaseResult {
  // OutOfRange and TooSensitive occur in fp16 and fp8 runs, see simcore/prepare/prepare.h. DoesNotFit: the machine is too small,
  // but the same graph computed on the host gives the expected values.
  enum class Verdict { Passed, Failed, Unsupported, Skipped, OutOfRange, TooSensitive, DoesNotFit };
  Verdict verdict = Verdict::Passed;
  std::string model, dataSet; // folders' names
  std::string reason;         // why the case did not pass
  double maxError = 0;        // largest |got - expected|; infinity if one of them is not a number
  int64_t compared = 0;       // number of values
};

struct CaseOptions {
  simcore::arch::Machine machine;
  simcore::numerics::ElementType precision = simcore::numerics::ElementType::Float;
  std::optional<simcore::model::QuarterProducts> quarter; // with precision Half: convolutions and products read 8-bit floats
  Tolerance tolerance;
  std::set<std::string> disabledPasses;
};

// Folders test_data_set_0, 1 … of a model's folder, in numeric order.
std::vector<std::filesystem::path> testDataSets(const std::filesystem::path& modelFolder);

// Runs a case. Errors of the model or its data are a result; only Cancelled is thrown.
CaseResult runCase(const std::filesystem::path& modelFile, const std::filesystem::path& dataSet, const CaseOptions& options,
                   const std::stop_token& stop, reports::Progress& progress);

// Like numpy.allclose: |got - expected| <= absolute + relative * |expected|; NaN equals NaN, infinities equal themselves. Sets
// `maxError`; false if any element differs by more, or types or shapes differ.
bool allClose(const simcore::numerics::HostTensor& got, const simcore::numerics::HostTensor& expected, const Tolerance& tolerance,
              double& maxError, std::string& reason);

} // namespace app::cli
