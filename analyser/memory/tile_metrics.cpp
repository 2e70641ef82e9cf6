#include "analyser/memory/tile_metrics.h"

#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace analyser::memory {

namespace {

constexpr std::string_view kMetricTitles[] = {"Compute cycles", "Bytes received", "Bytes sent", "Utilisation", "Memory alive"};
constexpr int64_t kMillion = 1'000'000;
constexpr int64_t kMostOfATile = int64_t(1) << 40; // bytes of a variable; limited so that sums stay below 2^63

void addTo(int64_t& sum, int64_t value, int64_t times, std::string_view what) {
  sum = reports::addAmounts(sum, reports::multiplyAmounts(value, times, what), what);
}

bool isWork(int64_t activity) {
  return activity == int64_t(reports::Activity::Compute) || activity == int64_t(reports::Activity::OnTileCopy);
}

struct Runs { // executions and activity of a step
  int64_t activity = -1;
  std::optional<int64_t> exchange;
  std::unordered_map<int64_t, int64_t> byIpu;
  int64_t executions() const {
    int64_t most = 0;
    for (const auto& [ipu, count] : byIpu) most = std::max(most, count);
    return most;
  }
};

// Adds the cycles of each tile; for Utilisation, they become shares of the time. A valid `step` gives one execution of that step,
// an invalid one the whole run.
void addCycles(Session& session, TileMetric metric, reports::ProgramStepId step, std::vector<int64_t>& values,
               const std::stop_token& stop) {
  std::unordered_map<int64_t, int64_t> activities;
  session.reader().forEach<reports::ProgramStepRow>(
      {}, {}, [&](const reports::ProgramStepRow& row) { activities.emplace(row.id, row.activity); }, stop);
  const auto& machine = session.machine();
  std::vector<int64_t> durations(static_cast<std::size_t>(std::max(0, machine.ipus)), 0); // of one step, by IPU
  std::vector<bool> seen(values.size(), false);
  const auto read = [&](const reports::StepProfileRow& row) {
    const auto activity = activities.find(row.programStepId);
    if (activity == activities.end()) return;
    // Compute cycles count only steps that compute or copy. Utilisation of one step counts steps of any kind, to show which tiles
    // take part.
    if (!isWork(activity->second) && (!step.valid() || metric == TileMetric::Cycles)) return;
    const reports::AmountRuns cycles(row.cyclesByTile, static_cast<std::size_t>(row.tiles), "step_profile.cycles_by_tile");
    const auto first = static_cast<std::size_t>(std::max<int64_t>(0, row.firstTile));
    for (const reports::ValueRun& run : cycles.runs()) {
      if (!step.valid() && run.value == 0) continue;
      for (std::size_t tile = first + run.begin; tile < std::min(first + run.end, values.size()); ++tile)
        if (!step.valid())
          addTo(values[tile], run.value, row.executions, "table step_profile, cycles by tile");
        else if (!seen[tile]) // the first of several costs represents the step
          values[tile] = run.value, seen[tile] = true;
    }
    for (std::size_t ipu = 0; ipu < durations.size(); ++ipu)
      if ((!row.ipu || *row.ipu == int64_t(ipu)) && durations[ipu] == 0) durations[ipu] = row.cycles;
  };
  if (step.valid())
    session.reader().forEach<reports::StepProfileRow>("program_step_id = ? ORDER BY id", {int64_t(step.value())}, read, stop);
  else
    session.reader().forEach<reports::StepProfileRow>({}, {}, read, stop);
  if (metric != TileMetric::Utilisation) return;
  int64_t whole = 0;
  if (!step.valid())
    session.reader().forEach<reports::RunRow>(
        {}, {}, [&](const reports::RunRow& row) { addTo(whole, row.cycles, 1, "table run, cycles"); }, stop);
  for (std::size_t tile = 0; tile < values.size(); ++tile) {
    const auto ipu = machine.ipuOf(TileId(tile)).value();
    const int64_t time = step.valid() ? (ipu < durations.size() ? durations[ipu] : 0) : whole;
    values[tile] = time > 0 ? int64_t(std::min(1.0, double(values[tile]) / double(time)) * double(kMillion)) : 0;
  }
}

void addBytes(Session& session, bool received, reports::ProgramStepId step, std::vector<int64_t>& values,
              const std::stop_token& stop) {
  std::unordered_map<int64_t, Runs> steps;
  session.reader().forEach<reports::ProgramStepRow>(
      "exchange_id IS NOT NULL", {},
      [&](const reports::ProgramStepRow& row) {
        if (!step.valid() || int64_t(step.value()) == row.id) steps[row.id].exchange = row.exchangeId;
      },
      stop);
  reports::Statement s(session.reader().connection(), "SELECT program_step_id, coalesce(ipu, -1), executions FROM step_profile");
  while (s.step()) {
    int64_t id = 0, ipu = 0, executions = 0;
    s.read(0, id, "step_profile.program_step_id");
    s.read(1, ipu, "step_profile.ipu");
    s.read(2, executions, "step_profile.executions");
    if (const auto at = steps.find(id); at != steps.end())
      addTo(at->second.byIpu[ipu], executions, 1, "table step_profile, executions");
  }
  std::unordered_map<int64_t, int64_t> times; // by exchange
  for (const auto& [id, runs] : steps)
    addTo(times[*runs.exchange], step.valid() ? 1 : runs.executions(), 1, "table step_profile, executions");
  session.reader().forEach<reports::ExchangeRow>(
      {}, {},
      [&](const reports::ExchangeRow& row) {
        const auto count = times.find(row.id);
        if (count == times.end() || count->second == 0) return;
        const reports::AmountRuns bytes(received ? row.bytesInByTile : row.bytesOutByTile, values.size(),
                                        received ? "exchange.bytes_in_by_tile" : "exchange.bytes_out_by_tile");
        for (const reports::ValueRun& run : bytes.runs())
          for (std::size_t tile = run.begin; run.value > 0 && tile < run.end; ++tile)
            addTo(values[tile], run.value, count->second, "table exchange, bytes by tile");
      },
      stop);
}

struct Life {
  bool isAlways = false;
  std::vector<int64_t> ends; // of its intervals, half-open: from, to, from, to …
  bool covers(int64_t step) const {
    if (isAlways) return true;
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2)
      if (ends[i] <= step && step < ends[i + 1]) return true;
    return false;
  }
};

std::unordered_map<int64_t, Life> livesOf(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, Life> lives;
  session.reader().forEach<reports::VariableRow>(
      {}, {},
      [&](const reports::VariableRow& row) {
        Life life{row.alwaysLive != 0, {}};
        if (!life.isAlways)
          life.ends = reports::unpackDeltas(row.liveIntervals, static_cast<std::size_t>(row.liveIntervalCount) * 2,
                                            "variable.live_intervals");
        lives.emplace(row.id, std::move(life));
      },
      stop);
  return lives;
}

// The most bytes live at the same time: sums at each begin and end of an interval.
int64_t mostAlive(std::span<const std::pair<const Life*, int64_t>> placed) {
  int64_t always = 0, alive = 0, most = 0;
  std::map<int64_t, int64_t> changes; // by step
  for (const auto& [life, bytes] : placed) {
    if (life->isAlways) always += bytes;
    for (std::size_t i = 0; i + 1 < life->ends.size(); i += 2)
      changes[life->ends[i]] += bytes, changes[life->ends[i + 1]] -= bytes;
  }
  for (const auto& [step, change] : changes) alive += change, most = std::max(most, alive);
  return always + most;
}

// Variables that are live at one step share no addresses, so their sizes add up.
void addAlive(Session& session, reports::ProgramStepId step, std::vector<int64_t>& values, const std::stop_token& stop) {
  std::optional<int64_t> at;
  if (step.valid()) at = session.reader().first<reports::ProgramStepRow>("id = ?", {int64_t(step.value())})->livenessStep;
  const auto lives = livesOf(session, stop);
  session.reader().forEach<reports::TileVariablesRow>(
      {}, {},
      [&](const reports::TileVariablesRow& row) {
        const auto n = static_cast<std::size_t>(std::max<int64_t>(0, row.lowered));
        const auto ids = reports::unpackDeltas(row.variables, n, "tile_variables.variables");
        const auto sizes = reports::unpackVarints(row.sizes, n, "tile_variables.sizes");
        std::vector<std::pair<const Life*, int64_t>> placed;
        for (const int64_t size : sizes)
          if (size < 0 || size > kMostOfATile)
            throw reports::Error(reports::ErrorCode::Damaged, "impossible size " + std::to_string(size), "tile_variables.sizes",
                                 "write the report again");
        for (std::size_t i = 0; i < n; ++i)
          if (const auto life = lives.find(ids[i]); life != lives.end()) placed.emplace_back(&life->second, sizes[i]);
        if (row.tile < 0 || static_cast<std::size_t>(row.tile) >= values.size()) return;
        int64_t& value = values[static_cast<std::size_t>(row.tile)];
        if (!step.valid()) value = mostAlive(placed);
        for (const auto& [life, bytes] : placed)
          if (step.valid() && (life->isAlways || (at && life->covers(*at)))) addTo(value, bytes, 1, "sizes of variables");
      },
      stop);
}

} // namespace

bool countsBytes(TileMetric metric) {
  return metric == TileMetric::BytesIn || metric == TileMetric::BytesOut || metric == TileMetric::Alive;
}

std::string_view tileMetricTitle(TileMetric metric) { return kMetricTitles[static_cast<std::size_t>(metric)]; }

TileMetricValues tileMetric(Session& session, TileMetric metric, reports::ProgramStepId step, std::stop_token stop) {
  if (step.valid() && !session.reader().first<reports::ProgramStepRow>("id = ?", {int64_t(step.value())}))
    throw reports::Error(reports::ErrorCode::NotFound, "no step " + std::to_string(step.value()), session.identity().fileName);
  TileMetricValues m;
  m.metric = metric, m.step = step;
  m.values.assign(static_cast<std::size_t>(std::max(0, session.machine().tiles())), 0);
  if (metric == TileMetric::BytesIn || metric == TileMetric::BytesOut)
    addBytes(session, metric == TileMetric::BytesIn, step, m.values, stop);
  else if (metric == TileMetric::Alive)
    addAlive(session, step, m.values, stop);
  else
    addCycles(session, metric, step, m.values, stop);
  for (std::size_t tile = 0; tile < m.values.size(); ++tile) {
    addTo(m.sum, m.values[tile], 1, "figures of the tiles");
    if (m.values[tile] > m.max) m.max = m.values[tile], m.maxTile = TileId(tile);
  }
  return m;
}

Sentence metricVerdict(const TileMetricValues& metric, std::span<const int> tiles) {
  struct Words {
    const char *one, *many, *none;
  };
  constexpr Words kWords[] = {{"computes", "compute", "do not"},
                              {"receives", "receive", "receive nothing"},
                              {"sends", "send", "send nothing"},
                              {"is busy", "are busy", "do nothing"},
                              {"holds", "hold", "hold nothing"}};
  constexpr Words kTakesPart{"takes part", "take part", "do not"}; // for steps of any kind, in which a tile may only wait
  const bool isPart = metric.metric == TileMetric::Utilisation && metric.step.valid();
  const Words& words = isPart ? kTakesPart : kWords[static_cast<std::size_t>(metric.metric)];
  const auto amount = [&](int64_t value) -> Sentence::Part {
    switch (metric.metric) {
    case TileMetric::Cycles: return Cycles(value);
    case TileMetric::BytesIn:
    case TileMetric::BytesOut:
    case TileMetric::Alive: return Bytes(value);
    case TileMetric::Utilisation: break;
    }
    return Sentence::Percent{double(value) / double(kMillion)};
  };
  const bool isShare = metric.metric == TileMetric::Utilisation;
  int64_t active = 0, most = 0, mostTile = -1;
  double sum = 0;
  for (const int tile : tiles) {
    const auto at = static_cast<std::size_t>(tile);
    const int64_t value = at < metric.values.size() ? metric.values[at] : 0;
    if (value <= 0) continue;
    ++active, sum += double(value);
    if (value > most) most = value, mostTile = tile;
  }
  Sentence s;
  s << (metric.step.valid() ? "In this step " : "Over the run ");
  if (active == 0)
    return s << (tiles.size() < metric.values.size() ? "no tile of this IPU " : "no tile ") << words.one
             << (isShare ? "." : " anything.");
  s << "tile " + std::to_string(mostTile) << " " << words.one << " most, " << amount(most) << (isShare ? " of the time" : "")
    << "; " << active << (active == 1 ? " tile " : " tiles ") << (active == 1 ? words.one : words.many) << ", "
    << amount(int64_t(sum / double(active))) << " in the mean";
  if (const int64_t idle = int64_t(tiles.size()) - active; idle > 0) s << "; " << idle << " " << words.none;
  return s << ".";
}

std::vector<CostlyStep> costlySteps(Session& session, std::stop_token stop) {
  std::unordered_map<int64_t, Runs> runs;
  std::unordered_map<int64_t, int64_t> cycles;
  reports::Statement s(session.reader().connection(),
                       "SELECT program_step_id, coalesce(ipu, -1), executions, cycles FROM step_profile");
  while (s.step()) {
    int64_t id = 0, ipu = 0, executions = 0, cost = 0;
    s.read(0, id, "step_profile.program_step_id");
    s.read(1, ipu, "step_profile.ipu");
    s.read(2, executions, "step_profile.executions");
    s.read(3, cost, "step_profile.cycles");
    addTo(runs[id].byIpu[ipu], executions, 1, "table step_profile, executions");
    cycles[id] = std::max(cycles[id], cost);
  }
  std::vector<CostlyStep> steps;
  session.reader().forEach<reports::ProgramStepRow>(
      {}, {},
      [&](const reports::ProgramStepRow& row) {
        const auto at = runs.find(row.id);
        if (at == runs.end() || cycles[row.id] <= 0) return;
        CostlyStep step;
        step.step = reports::ProgramStepId(static_cast<std::size_t>(row.id));
        step.name = session.text(row.nameId), step.kind = row.kind;
        if (row.activity >= 0 && row.activity < reports::kActivityCount)
          step.activity = static_cast<reports::Activity>(row.activity);
        step.cycles = Cycles(cycles[row.id]), step.executions = at->second.executions();
        steps.push_back(std::move(step));
      },
      stop);
  return steps;
}

} // namespace analyser::memory
