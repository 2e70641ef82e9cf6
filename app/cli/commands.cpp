#include "app/cli/commands.h"

#include "app/cli/blocks_command.h"
#include "app/cli/compare_command.h"
#include "app/cli/completion_command.h"
#include "app/cli/export_command.h"
#include "app/cli/fetch_command.h"
#include "app/cli/fit_command.h"
#include "app/cli/import_command.h"
#include "app/cli/insights_command.h"
#include "app/cli/machines_command.h"
#include "app/cli/manual_command.h"
#include "app/cli/onnx_test_command.h"
#include "app/cli/passes_command.h"
#include "app/cli/query_command.h"
#include "app/cli/run_command.h"
#include "app/cli/samples_command.h"
#include "app/cli/summary_command.h"
#include "app/cli/sweep_command.h"
#include "app/cli/table_command.h"
#include "app/cli/validate_model_command.h"

namespace app::cli {

std::vector<std::unique_ptr<Command>> allCommands() {
  std::vector<std::unique_ptr<Command>> list;
  list.push_back(std::make_unique<MachinesCommand>());
  list.push_back(std::make_unique<SamplesCommand>());
  list.push_back(std::make_unique<PassesCommand>());
  list.push_back(std::make_unique<RunCommand>());
  list.push_back(std::make_unique<FitCommand>());
  list.push_back(std::make_unique<ImportCommand>());
  list.push_back(std::make_unique<ExportCommand>());
  list.push_back(std::make_unique<FetchCommand>());
  list.push_back(std::make_unique<SummaryCommand>());
  list.push_back(std::make_unique<InsightsCommand>());
  list.push_back(std::make_unique<BlocksCommand>());
  list.push_back(std::make_unique<TableCommand>());
  list.push_back(std::make_unique<QueryCommand>());
  list.push_back(std::make_unique<CompareCommand>());
  list.push_back(std::make_unique<SweepCommand>());
  list.push_back(std::make_unique<OnnxTestCommand>());
  list.push_back(std::make_unique<ValidateModelCommand>());
  list.push_back(std::make_unique<CompletionCommand>());
  list.push_back(std::make_unique<ManualCommand>());
  return list;
}

} // namespace app::cli
