#include "app/cli/case_workload.h"

#include "app/cli/parallel_options.h"
#include "app/cli/workload_source.h"
#include "reports/core/error.h"

#include <CLI/CLI.hpp>

namespace app::cli {

simcore::validation::CaseWorkload workloadOfCase(const simcore::validation::ValidationCase& c, int64_t seed,
                                                 std::stop_token stop) {
  WorkloadRequest request;
  request.graph = c.workload;
  request.machine = c.machine;
  request.ipus = c.ipus;
  request.seed = seed;
  request.settings = c.set;
  CLI::App options;
  options.set_help_flag();
  declareParallelOptions(options, request);
  declareOnnxOptions(options, request.onnx);
  std::string precision;
  options.add_option("--precision", precision)->check(CLI::IsMember({"fp32", "fp16"}));
  try {
    options.parse(c.options);
  } catch (const CLI::ParseError& e) {
    throw reports::Error(reports::ErrorCode::InvalidInput, e.what(), "case " + c.id + ", 'options'",
                         "they are options of `run`; --set, --machine and --ipus are members of the case");
  }
  request.half = precision == "fp16";
  request.precisionGiven = !precision.empty();
  reports::NoProgress quiet;
  auto workload = loadWorkload(request, stop, quiet);
  return {std::move(workload), replanningOf(std::move(request), std::move(stop))};
}

} // namespace app::cli
