#include "analyser/summary/vertex_cycles.h"

#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <cmath>

namespace analyser::summary {

namespace {

struct Steps {
  std::unordered_map<int64_t, int64_t> executionsOfComputeSet;
  std::array<double, reports::kActivityCount> busyCycles{}; // by activity, over tiles and executions
  double busyWithoutSet = 0;                                // over tiles and executions: compute and copies without a compute set
};

// A step of several IPUs has a profile per IPU; its executions are those on the IPU that ran it most.
Steps readSteps(Session& session, const std::stop_token& stop) {
  Steps steps;
  std::map<std::pair<int64_t, int64_t>, int64_t> executions; // by step and IPU
  struct Step {
    std::optional<int64_t> computeSet;
    int64_t activity = 0;
  };
  std::unordered_map<int64_t, Step> byId;
  session.reader().forEach<reports::ProgramStepRow>(
      {}, {},
      [&](const reports::ProgramStepRow& row) {
        byId.emplace(row.id, Step{row.computeSetId, row.activity});
      },
      stop);
  reports::Statement s(session.reader().connection(),
                       "SELECT program_step_id, coalesce(ipu, -1), executions, busy_cycles FROM step_profile");
  while (s.step()) {
    int64_t step = 0, ipu = 0, count = 0, busy = 0;
    s.read(0, step, "step_profile.program_step_id");
    s.read(1, ipu, "step_profile.ipu");
    s.read(2, count, "step_profile.executions");
    s.read(3, busy, "step_profile.busy_cycles");
    auto& all = executions[{step, ipu}];
    all = reports::addAmounts(all, count, "table step_profile, executions");
    const auto it = byId.find(step);
    if (it == byId.end() || it->second.activity < 0 || it->second.activity >= reports::kActivityCount) continue;
    steps.busyCycles[static_cast<std::size_t>(it->second.activity)] += double(busy) * double(count);
    const auto activity = reports::Activity(it->second.activity);
    const bool computes = activity == reports::Activity::Compute || activity == reports::Activity::OnTileCopy;
    if (computes && !it->second.computeSet) steps.busyWithoutSet += double(busy) * double(count);
  }
  std::unordered_map<int64_t, int64_t> most;
  for (const auto& [key, count] : executions) most[key.first] = std::max(most[key.first], count);
  for (const auto& [step, count] : most) {
    const auto it = byId.find(step);
    if (it != byId.end() && it->second.computeSet) {
      auto& all = steps.executionsOfComputeSet[*it->second.computeSet];
      all = reports::addAmounts(all, count, "table step_profile, executions");
    }
  }
  return steps;
}

int64_t executionsOf(const Steps& steps, int64_t computeSet) {
  const auto it = steps.executionsOfComputeSet.find(computeSet);
  return it == steps.executionsOfComputeSet.end() ? 0 : it->second;
}

} // namespace

void addVertexCycles(Session& session, Summary& summary, const std::stop_token& stop) {
  const Steps steps = readSteps(session, stop);
  std::map<int64_t, VertexTypeCycles> types;
  session.reader().forEach<reports::VertexTypeRow>({}, {}, [&](reports::VertexTypeRow& row) {
    types[row.id] = {session.text(row.nameId), std::move(row.kind), 0, Cycles(), Bytes(row.codeBytes), Bytes()};
  });
  session.reader().forEach<reports::ComputeSetVerticesRow>(
      {}, {},
      [&](const reports::ComputeSetVerticesRow& row) {
        VertexTypeCycles& t = types[row.vertexTypeId];
        constexpr std::string_view kTable = "table compute_set_vertices";
        const int64_t cycles = reports::multiplyAmounts(row.cycles, executionsOf(steps, row.computeSetId), kTable);
        t.instances = reports::addAmounts(t.instances, row.vertices, kTable);
        t.cycles = Cycles(reports::addAmounts(t.cycles.value(), cycles, kTable));
        t.stateBytes = Bytes(reports::addAmounts(t.stateBytes.value(), row.stateBytes, kTable));
      },
      stop);
  for (auto& [id, type] : types) summary.vertexTypes.push_back(std::move(type));
  std::stable_sort(summary.vertexTypes.begin(), summary.vertexTypes.end(),
                   [](const VertexTypeCycles& a, const VertexTypeCycles& b) { return a.cycles > b.cycles; });

  const double tiles = summary.machine.tiles();
  if (tiles <= 0) return;
  // A worker gets one in six cycles of its tile: 20 supersteps of one vertex of 100 cycles are 2,000 cycles without idle threads
  // and 12,000 with them, as in the published profile of a halo exchange (case A16 of validate-model).
  double workers = steps.busyWithoutSet;
  session.reader().forEach<reports::ComputeSetRow>({}, {}, [&](const reports::ComputeSetRow& row) {
    workers += double(row.workerCycles) * double(executionsOf(steps, row.id));
  });
  const auto average = [&](double sum) { return Cycles(std::llround(sum / tiles)); };
  const auto busy = [&](reports::Activity a) { return steps.busyCycles[static_cast<std::size_t>(a)]; };
  TileAverages& a = summary.tileAverages;
  a.computeWithIdleThreads = average(busy(reports::Activity::Compute) + busy(reports::Activity::OnTileCopy));
  a.computeWithoutIdleThreads = average(workers);
  a.exchange = average(busy(reports::Activity::InternalExchange));
  a.globalExchange = average(busy(reports::Activity::GlobalExchange));
  // Each IPU waits for its own syncs and streams; reports without costs of steps have only the totals of the runs.
  const trace::TileCycles& t = summary.tileCycles;
  const bool isKnown = t.total() > t[trace::TileTime::Idle];
  a.hostExchange = isKnown ? average(double(t[trace::TileTime::Host])) : summary.cycles.host;
  a.sync = isKnown ? average(double(t[trace::TileTime::Sync])) : summary.cycles.sync;
}

} // namespace analyser::summary
