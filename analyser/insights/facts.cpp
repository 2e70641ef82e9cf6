#include "analyser/insights/facts.h"

#include "analyser/session/debug_contexts.h"
#include "analyser/session/metadata_count.h"
#include "analyser/session/run_options.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <map>

namespace analyser::insights {

namespace {

int countIn(const Session& session, const std::string& key) {
  return static_cast<int>(std::clamp<int64_t>(metadataCount(session, key).value_or(1), 1, 1 << 20));
}

void readRunCycles(Session& session, Facts& facts) {
  session.reader().forEach<reports::RunRow>({}, {}, [&](const reports::RunRow& row) {
    ++facts.runs;
    facts.runCycles += Cycles(row.cycles);
    facts.computeCycles += Cycles(row.computeCycles);
    facts.exchangeCycles += Cycles(row.exchangeCycles);
    facts.syncCycles += Cycles(row.syncCycles);
    facts.hostCycles += Cycles(row.hostCycles);
    facts.idleCycles += Cycles(row.idleCycles);
  });
}

void readSteps(Session& session, const trace::StepCosts& costs, Facts& facts) {
  std::unordered_map<int64_t, int> byContext;
  for (std::size_t i = 0; i < facts.operations.rows.size(); ++i)
    byContext.emplace(int64_t(facts.operations.rows[i].debugContext.value()), static_cast<int>(i));
  const OperationNames contexts(session, facts.stop);
  session.reader().forEach<reports::ProgramStepRow>(
      "liveness_step IS NOT NULL", {},
      [&](reports::ProgramStepRow& row) {
        const auto cost = costs.find(row.id);
        if (cost == costs.end() || row.activity < 0 || row.activity >= reports::kActivityCount) return;
        StepFact step;
        step.id = reports::ProgramStepId(static_cast<std::size_t>(row.id));
        step.name = StringId(static_cast<std::size_t>(std::max<int64_t>(0, row.nameId)));
        step.kind = std::move(row.kind);
        step.activity = static_cast<reports::Activity>(row.activity);
        step.cycles = cost->second.cycles;
        step.cost = cost->second;
        step.exchange = row.exchangeId;
        step.livenessStep = row.livenessStep;
        if (const auto context = contexts.contextOf(row.debugContextId))
          if (const auto of = byContext.find(*context); of != byContext.end()) step.operation = of->second;
        facts.steps.push_back(std::move(step));
      },
      facts.stop);
}

// A program that was built by hand has no operations: its compute steps replace them, grouped by name.
void takeStepsForOperations(Facts& facts) {
  std::map<StringId, std::size_t> byName;
  std::vector<operations::Operation>& rows = facts.operations.rows;
  std::vector<Cycles> costliest;
  for (StepFact& step : facts.steps) {
    if (step.activity != reports::Activity::Compute) continue;
    const auto [place, isNew] = byName.emplace(step.name, rows.size());
    if (isNew) rows.emplace_back(), costliest.emplace_back(), rows.back().name = facts.session.text(step.name);
    step.operation = static_cast<int>(place->second);
    operations::Operation& o = rows[place->second];
    o.compute += step.cycles, o.total += step.cycles, o.flops += step.cost.flops;
    o.tileCycles += step.cost.cost;
    if (step.cost.tiles >= o.tiles) o.tiles = step.cost.tiles, o.tilesAvailable = step.cost.available;
    if (step.cycles >= costliest[place->second]) costliest[place->second] = step.cycles, o.costliestStep = step.id;
  }
  for (operations::Operation& o : rows) {
    const int64_t busy = o.tileCycles[trace::TileTime::Busy], waits = o.tileCycles[trace::TileTime::Imbalance];
    if (busy + waits > 0) o.balance = double(busy) / double(busy + waits);
  }
  facts.alike = operations::alike(facts.operations);
}

} // namespace

bool Facts::mayHalveState() const { return isModel() && training && fp16 && !runHasOption(session, "--half-state"); }
bool Facts::mayShardState() const { return isModel() && training && replicas > 1 && !runHasOption(session, "--shard-state"); }

std::string Facts::placeOf(const StepFact& step) const {
  if (step.operation >= 0) return operations.rows[static_cast<std::size_t>(step.operation)].name;
  return session.text(step.name);
}

Facts gatherFacts(Session& session, std::stop_token stop) {
  trace::StepCosts costs = trace::tileCyclesBySteps(session, stop);
  const auto program = std::make_shared<program::ProgramOnce>(session, stop);
  Facts facts{.session = session,
              .machine = session.machine(),
              .memory = memory::tileMemory(session, memory::Breakdown::ByCategory, stop),
              .operations = operations::operations(session, costs, *program, stop),
              .steps = {},
              .costs = std::move(costs), // moved after the operations have read them
              .program = program,
              .stop = stop};
  facts.outOfMemory = session.identity().outOfMemory;
  facts.fp16 = session.metadata("precision") == "fp16" || session.metadata("precision") == "fp8";
  facts.training = trials::trains(session);
  facts.recomputes = !session.metadata("recomputation").empty();
  facts.replicas = countIn(session, "replicas");
  facts.stages = countIn(session, "pipeline_stages");
  readRunCycles(session, facts);
  readSteps(session, facts.costs, facts);
  if (facts.operations.rows.empty()) takeStepsForOperations(facts);
  return facts;
}

} // namespace analyser::insights
