#include "ui/views/memory/memory_reading.h"

#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_metrics.h"
#include "analyser/program/related.h"
#include "ui/theme/report_text.h"

#include <map>

namespace ui::memory {

using theme::reportText;

namespace {

// A name without a path is too short: the kind comes first, e.g. "Sync, Internal".
QString stepTitle(const std::string& kind, const std::string& name) {
  if (name.empty() || name == kind) return reportText(kind);
  return name.find('/') == std::string::npos ? reportText(kind) + QStringLiteral(", ") + reportText(name) : reportText(name);
}

// Finds the step of B for a step of A: the n-th step of a name in A belongs to the n-th step of that name in B.
struct StepsByName {
  std::map<QString, std::vector<analyser::liveness::Step>> steps;
  std::map<QString, std::size_t> taken;
  void pair(StepBar::Step& step) {
    const auto found = steps.find(step.title);
    if (found == steps.end()) return;
    const std::size_t at = taken[step.title]++;
    if (at < found->second.size()) step.inOther = found->second[at].programStep, step.ordinalInOther = found->second[at].ordinal;
  }
};

// Null: the report has no variable of this name.
std::shared_ptr<const analyser::memory::TileSeries> seriesNamed(analyser::Session& session, const std::string& name,
                                                                const std::stop_token& stop) {
  try {
    const auto related = analyser::program::relatedOf(session, {analyser::columns::Thing::Variable, -1, name}, stop);
    return std::make_shared<const analyser::memory::TileSeries>(
        analyser::memory::variableSeries(session, related.variable, stop));
  } catch (const reports::Error& error) {
    if (error.code() != reports::ErrorCode::NotFound) throw;
    return nullptr;
  }
}

} // namespace

MemorySteps readSteps(const shell::ReportsOfView& reports, const std::stop_token& stop) {
  StepsByName others;
  if (reports.areTwo())
    reports.otherWorker()->use([&](analyser::Session& session) {
      for (const auto& s : analyser::liveness::stepsOf(session, stop)) others.steps[stepTitle(s.kind, s.name)].push_back(s);
    });
  return reports.baseWorker()->use([&](analyser::Session& session) {
    MemorySteps steps;
    std::map<reports::ProgramStepId, StepBar::Step> known;
    for (const auto& s : analyser::liveness::stepsOf(session, stop)) {
      steps.liveness.push_back({s.programStep, s.ordinal, stepTitle(s.kind, s.name)});
      others.pair(steps.liveness.back());
      known.emplace(s.programStep, steps.liveness.back());
    }
    for (const auto& s : analyser::memory::costlySteps(session, stop)) {
      const auto step = known.find(s.step);
      steps.costly.push_back(step != known.end() ? step->second : StepBar::Step{s.step, -1, stepTitle(s.kind, s.name)});
    }
    return steps;
  });
}

ChosenVariables readVariables(const shell::ReportsOfView& reports, const std::vector<reports::VariableId>& ids,
                              const std::stop_token& stop) {
  ChosenVariables chosen;
  reports.baseWorker()->use([&](analyser::Session& session) {
    for (const auto id : ids)
      chosen.curves.push_back(
          std::make_shared<const analyser::memory::TileSeries>(analyser::memory::variableSeries(session, id, stop)));
    chosen.home = placesOn(session, chosen.curves.front()->maxTile, TilePlaces::Why::HoldsMost);
  });
  if (!reports.areTwo()) return chosen;
  reports.otherWorker()->use([&](analyser::Session& session) {
    for (const auto& curve : chosen.curves) chosen.inOther.push_back(seriesNamed(session, curve->title, stop));
    const auto tile = chosen.home.tile();
    if (tile.valid() && int64_t(tile.value()) < session.machine().tiles())
      chosen.homeInOther = placesOn(session, tile, TilePlaces::Why::Selected);
  });
  return chosen;
}

} // namespace ui::memory
