#include "app/cli/passes_command.h"

#include "reports/core/json.h"
#include "simcore/fusion/fusion.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace app::cli {

void PassesCommand::declare(Options& command) { command.addFlag("--json", m_json, "print JSON"); }

int PassesCommand::run(Context& context) {
  const auto passes = simcore::model::fusionPasses();
  if (m_json) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& pass : passes)
      json.push_back({{"name", pass.name}, {"summary", pass.summary}, {"in_training", pass.inTraining}});
    context.out << reports::jsonText(json, 2) << "\n";
    return kDone;
  }
  std::size_t widest = 0;
  for (const auto& pass : passes) widest = std::max(widest, std::string(pass.name).size());
  for (const auto& pass : passes)
    context.out << std::left << std::setw(int(widest) + 2) << pass.name << pass.summary
                << (pass.inTraining ? "" : " (inference only)") << "\n";
  return kDone;
}

} // namespace app::cli
