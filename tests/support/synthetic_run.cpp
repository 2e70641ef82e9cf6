#include "tests/support/synthetic_run.h"

#include "reports/rows/block_records.h"
#include "reports/rows/host_writers.h"
#include "reports/rows/slice_track.h"
#include "tests/support/synthetic_memory.h"

#include <algorithm>
#include <tuple>

namespace tests {

using namespace reports;

namespace {

constexpr int64_t kSyncCycles = 40;
constexpr int kHostTracks = 2;

struct Profile {
  int step, ipu;
  std::vector<int64_t> cycles; // of the tiles of the IPU; empty for a sync
  int64_t duration = 0, executions = 0;
};

class Run {
public:
  Run(ReportSink& sink, StringPool& strings, const SyntheticProgram& program, const std::vector<int64_t>& variableBytes)
      : m_variableBytes(variableBytes), m_sink(sink), m_strings(strings), m_program(program), m_ipus(program.shape().ipus),
        m_blocks(sink) {
    for (int ipu = 0; ipu < m_ipus; ++ipu) {
      TrackRow track;
      track.id = ipu;
      track.kind = "ipu";
      track.name = "IPU " + std::to_string(ipu);
      track.ipu = ipu;
      track.tickUnit = "cycle";
      track.provenance = "simulated";
      m_tracks.emplace_back(sink, track);
      m_now.push_back(0);
      if (program.shape().ioTiles == 0) continue;
      track.id = m_ipus + kHostTracks + ipu;
      track.kind = "ipu_io";
      track.name += " I/O";
      m_ioTracks.emplace_back(sink, track);
    }
    m_costs.resize(program.steps().size() * std::size_t(m_ipus) * 3);
  }

  void write() {
    beginRun();
    phase("stream/weights", m_program.initSteps());
    endRun("init", m_program.initProgram(), 0);
    beginRun();
    phase("stream/images", m_program.beforeLoop());
    for (int64_t i = 0; i < m_program.iterations(); ++i) iteration(i);
    m_blocks.finish();
    phase("stream/loss", m_program.afterLoop());
    endRun("main", m_program.mainProgram(), 0);
    for (auto& track : m_tracks) track.finish();
    for (auto& track : m_ioTracks) track.finish();
    for (const auto& row : m_runs) m_sink.add(row);
    writeProfiles();
    writeOperations();
    writeCycleSeries();
    writeHost();
  }

private:
  std::size_t profileOf(int step, int ipu, int variant) {
    auto& slot = m_costs[(std::size_t(step) * std::size_t(m_ipus) + std::size_t(ipu)) * 3 + std::size_t(variant)];
    if (slot == 0) {
      Profile p{step, ipu, {}, 0, 0};
      const int perIpu = m_program.shape().tilesPerIpu;
      for (int tile = ipu * perIpu; tile < (ipu + 1) * perIpu; ++tile)
        p.cycles.push_back(m_program.tileCycles(m_program.steps()[std::size_t(step)], tile, variant));
      p.duration = *std::max_element(p.cycles.begin(), p.cycles.end());
      m_profiles.push_back(std::move(p));
      slot = m_profiles.size();
    }
    return slot - 1;
  }

  std::size_t syncProfile(int step, int ipu, int64_t duration) {
    const auto key = std::make_tuple(step, ipu, duration);
    const auto [found, isNew] = m_syncs.emplace(key, m_profiles.size());
    if (isNew) m_profiles.push_back({step, ipu, {}, duration, 0});
    return found->second;
  }

  void execute(int step, int ipu, std::size_t profile) {
    Profile& p = m_profiles[profile];
    ++p.executions;
    const auto& row = m_program.steps()[std::size_t(step)].row;
    auto& now = m_now[std::size_t(ipu)];
    const bool io = !m_ioTracks.empty() && row.activity == int64_t(Activity::HostStream);
    if (p.duration > 0 && io)
      m_ioTracks[std::size_t(ipu)].add(0, now, p.duration, row.nameId, uint8_t(row.activity), int64_t(profile));
    else if (p.duration > 0)
      m_tracks[std::size_t(ipu)].add(2, now, p.duration, row.nameId, uint8_t(row.activity), int64_t(profile));
    now += p.duration;
    if (ipu == 0) m_activity[std::size_t(row.activity)] += p.duration;
  }

  void phase(const std::string& name, const std::vector<int>& leaves) {
    const int64_t nameId = m_strings.id(name);
    for (int ipu = 0; ipu < m_ipus; ++ipu) {
      const int64_t start = m_now[std::size_t(ipu)];
      for (const int step : leaves) execute(step, ipu, profileOf(step, ipu, 0));
      m_tracks[std::size_t(ipu)].add(1, start, m_now[std::size_t(ipu)] - start, nameId, uint8_t(Activity::Scope), -1);
    }
    for (const int step : leaves) m_flops += m_program.flops(m_program.steps()[std::size_t(step)]);
  }

  void iteration(int64_t number) {
    const int64_t latest = *std::max_element(m_now.begin(), m_now.end());
    for (int ipu = 0; ipu < m_ipus; ++ipu) {
      const int64_t began = m_now[std::size_t(ipu)];
      const auto variant = int((uint64_t(number) * 2654435761u >> 16) + uint64_t(ipu)) % 3;
      const auto& leaves = m_program.loop();
      execute(leaves.front(), ipu, syncProfile(leaves.front(), ipu, latest + kSyncCycles - m_now[std::size_t(ipu)]));
      int open = -1;
      int64_t start = 0;
      const auto closeScope = [&] {
        if (open < 0) return;
        const auto& op = m_program.operations()[std::size_t(open)];
        m_tracks[std::size_t(ipu)].add(1, start, m_now[std::size_t(ipu)] - start, scopeName(open), uint8_t(Activity::Scope),
                                       op.context);
      };
      for (std::size_t i = 1; i < leaves.size(); ++i) {
        const auto& step = m_program.steps()[std::size_t(leaves[i])];
        if (step.operation != open) {
          closeScope();
          open = step.operation;
          start = m_now[std::size_t(ipu)];
        }
        const bool varies = Activity(step.row.activity) == Activity::Compute;
        execute(leaves[i], ipu, profileOf(leaves[i], ipu, varies ? variant : 0));
      }
      closeScope();
      timeTurn(number, ipu, began);
    }
    if (m_loopFlops < 0) {
      m_loopFlops = 0;
      for (const int step : m_program.loop()) m_loopFlops += m_program.flops(m_program.steps()[std::size_t(step)]);
    }
    m_flops += m_loopFlops;
  }

  // Makes a Block, timed by tile 0 of the IPU, of each of the first hundred iterations of the loop.
  void timeTurn(int64_t number, int ipu, int64_t began) {
    if (number >= 100) return;
    m_blocks.add(ipu, int64_t(ipu) * m_program.shape().tilesPerIpu,
                 {m_strings.id("turn"), -1, began, m_now[std::size_t(ipu)] - began, 1, BlockRecordKind::Block});
  }

  int64_t scopeName(int operation) {
    if (m_scopeNames.empty())
      for (const auto& op : m_program.operations()) m_scopeNames.push_back(m_strings.id(op.name));
    return m_scopeNames[std::size_t(operation)];
  }

  void beginRun() {
    m_runStart = *std::max_element(m_now.begin(), m_now.end());
    std::fill(m_now.begin(), m_now.end(), m_runStart);
    m_activity.fill(0);
    m_flops = 0;
  }

  void endRun(const std::string& name, int program, int64_t folded) {
    const auto& root = m_program.steps()[std::size_t(program)].row;
    RunRow row;
    row.id = int64_t(m_runs.size());
    row.name = name;
    row.programStepId = root.id;
    row.startCycle = m_runStart;
    row.cycles = *std::max_element(m_now.begin(), m_now.end()) - m_runStart;
    row.provenance = "simulated";
    const auto of = [&](Activity a) { return m_activity[std::size_t(a)]; };
    row.computeCycles = of(Activity::Compute) + of(Activity::OnTileCopy);
    row.exchangeCycles = of(Activity::InternalExchange) + of(Activity::GlobalExchange);
    row.syncCycles = of(Activity::Sync);
    row.hostCycles = of(Activity::HostStream);
    row.idleCycles = row.cycles - row.computeCycles - row.exchangeCycles - row.syncCycles - row.hostCycles;
    row.flops = m_flops;
    row.foldedIterations = folded;
    for (int ipu = 0; ipu < m_ipus; ++ipu)
      m_tracks[std::size_t(ipu)].add(0, m_runStart, m_now[std::size_t(ipu)] - m_runStart, root.nameId, uint8_t(Activity::Scope),
                                     -1);
    m_runs.push_back(row);
  }

  void writeProfiles() {
    const int perIpu = m_program.shape().tilesPerIpu;
    for (std::size_t id = 0; id < m_profiles.size(); ++id) {
      Profile& p = m_profiles[id];
      const auto& step = m_program.steps()[std::size_t(p.step)];
      StepProfileRow row;
      row.id = int64_t(id);
      row.programStepId = step.row.id;
      row.ipu = p.ipu;
      row.cycles = p.duration;
      row.executions = p.executions;
      if (p.cycles.empty()) p.cycles.assign(std::size_t(perIpu), 0);
      for (const int64_t c : p.cycles) {
        row.activeTiles += c > 0;
        row.busyCycles += c;
      }
      row.firstTile = int64_t(p.ipu) * perIpu;
      row.tiles = perIpu;
      if (step.row.exchangeId)
        for (int t = 0; t < perIpu; ++t) row.bytesIn += m_program.exchangeBytes(*step.row.exchangeId, int(row.firstTile) + t);
      row.bytesOut = row.bytesIn;
      row.flops = m_program.flops(step) / m_ipus;
      row.cyclesByTile = packRuns(p.cycles);
      m_sink.add(row);
    }
  }

  void writeOperations();
  void writeCycleSeries();
  void writeHost();
  void writeHostRows();

  const std::vector<int64_t>& m_variableBytes;
  ReportSink& m_sink;
  StringPool& m_strings;
  const SyntheticProgram& m_program;
  int m_ipus;
  std::vector<SliceTrackBuilder> m_tracks, m_ioTracks;
  std::vector<int64_t> m_now;
  std::vector<std::size_t> m_costs; // profile id + 1 by (step, ipu, variant)
  std::map<std::tuple<int, int, int64_t>, std::size_t> m_syncs;
  std::vector<Profile> m_profiles;
  std::vector<RunRow> m_runs;
  std::vector<int64_t> m_scopeNames;
  std::array<int64_t, kActivityCount> m_activity{};
  int64_t m_runStart = 0, m_flops = 0, m_loopFlops = -1;
  BlockRecordWriter m_blocks;
};

// Cycles, bytes and work are sums over all IPUs, as the simulator writes them.
void Run::writeOperations() {
  const auto& operations = m_program.operations();
  std::vector<OperationRow> rows(operations.size());
  std::vector<double> busy(operations.size()), possible(operations.size());
  for (const auto& p : m_profiles) {
    const auto& step = m_program.steps()[std::size_t(p.step)];
    if (step.operation < 0) continue;
    const auto i = std::size_t(step.operation);
    const auto activity = Activity(step.row.activity);
    const bool compute = activity == Activity::Compute || activity == Activity::OnTileCopy;
    (compute ? rows[i].computeCycles : rows[i].exchangeCycles) += p.duration * p.executions;
    for (std::size_t t = 0; t < p.cycles.size(); ++t) {
      if (compute)
        busy[i] += double(p.cycles[t] * p.executions);
      else
        rows[i].exchangeBytes +=
            p.executions * m_program.exchangeBytes(*step.row.exchangeId, p.ipu * m_program.shape().tilesPerIpu + int(t));
    }
    if (compute) possible[i] += double(p.duration * p.executions) * double(p.cycles.size());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& op = operations[i];
    OperationRow& row = rows[i];
    row.id = int64_t(i);
    row.debugContextId = op.context;
    row.name = op.name;
    row.kind = op.kind;
    for (const int s : op.steps) {
      const auto& step = m_program.steps()[std::size_t(s)];
      row.flops += m_program.flops(step) * m_program.iterations();
      if (step.row.computeSetId)
        for (int tile = 0; tile < m_program.tiles(); ++tile) row.vertices += m_program.tileCycles(step, tile, 0) > 0 ? 6 : 0;
      row.codeBytes += step.row.codeBytes;
    }
    row.variableBytes = m_variableBytes[i];
    if (possible[i] > 0) row.balance = busy[i] / possible[i];
    m_sink.add(row);
  }
}

void Run::writeCycleSeries() {
  const auto tiles = std::size_t(m_program.tiles());
  std::vector<int64_t> compute(tiles), exchange(tiles), bytes(tiles);
  for (const auto& p : m_profiles) {
    const auto& row = m_program.steps()[std::size_t(p.step)].row;
    const auto activity = Activity(row.activity);
    const std::size_t first = std::size_t(p.ipu) * p.cycles.size();
    for (std::size_t t = 0; t < p.cycles.size(); ++t) {
      const int64_t cycles = p.cycles[t] * p.executions;
      if (activity == Activity::Compute || activity == Activity::OnTileCopy) compute[first + t] += cycles;
      if (activity == Activity::InternalExchange || activity == Activity::GlobalExchange) exchange[first + t] += cycles;
      if (row.exchangeId) bytes[first + t] += p.executions * m_program.exchangeBytes(*row.exchangeId, int(first + t));
    }
  }
  writeSyntheticSeries(m_sink, "cycles.compute", "cycle", compute);
  writeSyntheticSeries(m_sink, "cycles.exchange", "cycle", exchange);
  writeSyntheticSeries(m_sink, "exchange.bytes_in", "byte", bytes);
  writeSyntheticSeries(m_sink, "exchange.bytes_out", "byte", bytes);
}

void writeSyntheticInstants(ReportSink& sink, int64_t track, int64_t name) {
  InstantTrackBuilder instants(sink, track);
  for (int64_t i = 0; i < 4; ++i)
    instants.add({i * 500'000, uint32_t(name), uint8_t(i % 3), InstantScope(i % 3), i == 0 ? 0 : -1});
  instants.finish();
}

// A counter, a heatmap, an arrow from the first transfer to the second, and the link of each run.
void Run::writeHostRows() {
  DetailsWriter details(m_sink);
  details.add(R"({"batch":1,"shape":[8,16]})");
  details.finish();
  CounterSeriesRow header{0, 0, "resident memory", "", "byte"};
  CounterBuilder counter(m_sink, header);
  for (int64_t i = 0; i < 200; ++i) counter.add(i * 14'000, double(1 << 20) + double(i % 17) * 4096);
  counter.finish();
  HeatmapRow heat;
  heat.processId = 0;
  heat.name = "gradients";
  HeatmapBuilder heatmap(m_sink, heat, {0, 1, 2, 4});
  for (int64_t i = 0; i < 10; ++i) heatmap.add(i * 280'000, {10 - i, i, 1});
  heatmap.finish();
  const int64_t stream = m_ipus + 1;
  FlowWriter flows(m_sink);
  flows.add({{stream, 0, 0}, {stream, 0, 1}, 1'000'000, 1'340'000, uint32_t(m_strings.id("next batch")), 2});
  flows.finish();
  m_sink.add(RunLinkRow{0, m_ipus, 0, 1, 950'000, 2'950'000});
}

// Two threads: compile > passes > one step of a pass, then run; and a stream thread that feeds it.
void Run::writeHost() {
  constexpr int64_t kUs = 1000;
  const char* channels[] = {"compile", "run", "stream"};
  for (int i = 0; i < 3; ++i) m_sink.add(ChannelRow{i, channels[i]});
  m_sink.add(HostProcessRow{0, "tilescope-cli", 4711, "simulated", 1767323045'000'000'000, "monotonic", 5'000'000'000});
  const char* threads[] = {"main", "stream"};
  for (int i = 0; i < kHostTracks; ++i) {
    TrackRow header;
    header.id = m_ipus + i;
    header.kind = "host_thread";
    header.name = threads[i];
    header.tickUnit = "nanosecond";
    header.provenance = "simulated";
    SliceTrackBuilder track(m_sink, header);
    if (i == 0) {
      track.add(0, 0, 900 * kUs, m_strings.id("compile"), 0);
      const char* passes[] = {"lowering", "liveness", "allocation"};
      for (int p = 0; p < 3; ++p) {
        track.add(1, p * 300 * kUs, 290 * kUs, m_strings.id(passes[p]), 0);
        for (int k = 0; k < 4; ++k) track.add(2, (p * 300 + k * 70) * kUs, 60 * kUs, m_strings.id("pass step"), 0);
      }
      track.add(0, 950 * kUs, 2000 * kUs, m_strings.id("Engine::run"), 1);
    } else {
      for (int k = 0; k < 5; ++k) track.add(0, (960 + k * 380) * kUs, 200 * kUs, m_strings.id("transfer images"), 2);
    }
    track.finish();
    writeSyntheticInstants(m_sink, header.id, m_strings.id("checkpoint"));
    m_sink.add(HostThreadRow{i, 0, threads[i], header.id, 4711 + i, i, {}});
  }
  writeHostRows();
}

} // namespace

void writeSyntheticRun(ReportSink& sink, StringPool& strings, const SyntheticProgram& program,
                       const std::vector<int64_t>& variableBytesByOperation) {
  Run(sink, strings, program, variableBytesByOperation).write();
}

} // namespace tests
