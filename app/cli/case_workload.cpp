#include "app/cli/case_workload.h"

#include "app/cli/parallel_options.h"
#include "app/cli/precision_options.h"
#include "app/cli/workload_source.h"
#include "reports/core/error.h"

namespace app::cli {

simcore::validation::CaseWorkload workloadOfCase(const simcore::validation::ValidationCase& c, int64_t seed,
                                                 std::stop_token stop) {
  WorkloadRequest request;
  request.graph = c.workload;
  request.machine = c.machine;
  request.ipus = c.ipus;
  request.seed = seed;
  request.settings = c.set;
  OptionParser parser;
  Options options = parser.options();
  declareParallelOptions(options, request);
  declareOnnxOptions(options, request.onnx);
  std::string precision;
  declarePrecisionOptions(options, precision, request);
  std::vector<std::string> engineOptions;
  options.addOption("--engine-option", engineOptions).oneValueEach();
  if (const std::string wrong = parser.parseLine(c.options); !wrong.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, wrong, "case " + c.id + ", 'options'",
                         "they are options of `run`; --set, --machine and --ipus are members of the case");
  readPrecision(precision, request);
  reports::NoProgress quiet;
  auto workload = loadWorkload(request, stop, quiet);
  return {std::move(workload), replanningOf(std::move(request), std::move(stop)), keyValues(engineOptions, "--engine-option")};
}

} // namespace app::cli
