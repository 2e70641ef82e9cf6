#include "simcore/run/execution_recorder.h"

#include "simcore/run/operation_context.h"
#include "simcore/run/operation_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace simcore::run {

using namespace reports;

namespace {
// "95,327,537": the format of large numbers in texts about a run.
std::string inThousands(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = std::ptrdiff_t(digits.size()) - 3; at > 0; at -= 3) digits.insert(std::size_t(at), 1, ',');
  return digits;
}
} // namespace
using compile::StepKind;

ExecutionRecorder::ExecutionRecorder(const Executable& executable, reports::StringPool& strings, ReportSink& sink,
                                     int64_t maxSlices, const BlockFilter& blocks)
    : m_e(executable), m_strings(strings), m_sink(sink), m_maxSlices(maxSlices), m_slicesLeft(maxSlices),
      m_sets(executable.graph->machine()), m_executions(executable.program.steps.size(), 0),
      m_ranItself(executable.program.steps.size(), false), m_nameId(executable.program.steps.size(), -1),
      m_rowId(executable.program.steps.size(), -1) {
  startTracks();
  int64_t next = 0;
  for (std::size_t i = 0; i < m_rowId.size(); ++i)
    if (m_e.program.steps[i].kind != StepKind::HostCompute) m_rowId[i] = next++;
  m_nextProfile = next;
  if (blocks.any() && executable.program.blockBuffer.bytes > 0)
    m_blockTimer = std::make_unique<BlockTimer>(executable, blocks, strings, sink, m_rowId);
}

const std::vector<BlockTimer::Wanted>& ExecutionRecorder::timedBlocks(int step) {
  const uint64_t at = inFrame(m_calls.current(), step);
  const auto* known = m_blockTimer->known(at);
  return known ? *known : m_blockTimer->find(at, step, pathOf(step));
}

void ExecutionRecorder::startTracks() {
  for (int set = 0; set < m_sets.count(); ++set) {
    TrackRow track;
    track.id = set;
    track.kind = m_sets.isIo(set) ? "ipu_io" : "ipu";
    track.name = "IPU " + std::to_string(m_sets.ipuOf(set)) + (m_sets.isIo(set) ? " I/O tiles" : "");
    track.ipu = m_sets.ipuOf(set);
    track.tickUnit = "cycle";
    track.provenance = "simulated";
    m_tracks.push_back({});
    m_tracks.back().slices = std::make_unique<SliceTrackBuilder>(m_sink, track);
  }
}

// The contexts around a step, outermost first. In a function that layers share, they belong to the layer for which the step
// runs.
const std::vector<int64_t>& ExecutionRecorder::pathOf(int step) {
  auto& path = m_paths[inFrame(m_calls.current(), step)];
  const Step& s = m_e.program.steps[std::size_t(step)];
  if (!path.empty() || !s.context.valid()) return path;
  const int64_t operation = operationContext(*m_e.graph, s.context), caller = m_calls.caller(m_calls.current(), operation);
  for (DebugContextId c = s.context; c.valid(); c = m_e.graph->contexts()[c.value()].parent) {
    if (int64_t(c.value()) == operation) c = DebugContextId(std::size_t(caller));
    path.push_back(int64_t(c.value()));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

void ExecutionRecorder::closeScopes(Track& track, std::size_t keep, int64_t at) {
  while (track.open.size() > keep) {
    const Scope s = track.open.back();
    track.open.pop_back();
    if (at > s.start)
      track.slices->add(int(track.open.size()), s.start, at - s.start, s.nameId, uint8_t(Activity::Scope), s.context);
  }
}

void ExecutionRecorder::openScopes(Track& track, const std::vector<int64_t>& path, int64_t at) {
  // Entry 0 is the run, then the open blocks, then the contexts. Entries that the step shares with the previous one stay open;
  // the others are closed at their last activity.
  const std::size_t blocks = m_blocks.size();
  std::size_t same = 1;
  while (same < track.open.size() && same <= blocks && track.open[same].block == m_blocks[same - 1].number) ++same;
  if (same > blocks)
    while (same < track.open.size() && same - 1 - blocks < path.size() && track.open[same].block < 0 &&
           track.open[same].context == path[same - 1 - blocks])
      ++same;
  closeScopes(track, same, track.end);
  for (std::size_t i = same - 1; i < blocks; ++i) track.open.push_back({m_blocks[i].nameId, at, -1, m_blocks[i].number});
  for (std::size_t i = std::max(same - 1, blocks) - blocks; i < path.size(); ++i)
    track.open.push_back({m_strings.id(m_e.graph->contexts()[std::size_t(path[i])].name), at, path[i], -1});
}

void ExecutionRecorder::beginRun(const std::string& name, int rootStep, int64_t startCycle) {
  m_run = RunRow();
  m_run.id = m_nextRun++;
  m_run.name = name;
  m_run.programStepId = m_rowId[std::size_t(rootStep)];
  m_run.startCycle = startCycle;
  m_run.provenance = "simulated";
  m_transfers.assign(m_sets.perIpu() > 1 ? std::size_t(m_e.graph->machine().ipus) : 0, {});
  for (Track& t : m_tracks) {
    t.open.push_back({m_strings.id(name), startCycle, -1, -1});
    t.end = startCycle;
  }
}

// Inside its scopes, the last part of a step's name is sufficient.
int64_t ExecutionRecorder::nameOf(int index) {
  int64_t& id = m_nameId[std::size_t(index)];
  if (id >= 0) return id;
  const Step& s = m_e.program.steps[std::size_t(index)];
  const std::string scope = m_e.graph->fullName(s.context);
  if (!scope.empty() && s.name.size() > scope.size() + 1 && s.name.starts_with(scope))
    id = m_strings.id(s.name.substr(scope.size() + 1));
  else
    id = m_strings.id(s.shownName());
  return id;
}

void ExecutionRecorder::beginBlock(int index) {
  const Step& s = m_e.program.steps[std::size_t(index)];
  m_blocks.push_back({m_strings.id(s.shownName()), m_nextBlock++});
}

int64_t ExecutionRecorder::extraOf(int index, const StepWay& way) const {
  return way.wait + (way.cost ? way.cost->duration - m_e.program.steps[std::size_t(index)].duration.value() : 0);
}

void ExecutionRecorder::executed(int index, const StepWay& way) {
  m_executions[std::size_t(index)] += way.times;
  const int frame = m_calls.current();
  if (frame == CallFrames::kNone) {
    if (!m_ranItself[std::size_t(index)]) m_order.emplace_back(frame, index);
    m_ranItself[std::size_t(index)] = true;
  } else {
    const auto [called, isFirst] = m_called.try_emplace(inFrame(frame, index));
    if (isFirst) m_order.emplace_back(frame, index);
    called->second.executions += way.times, called->second.extra += extraOf(index, way) * way.times;
  }
  m_run.flops += m_e.program.steps[std::size_t(index)].flops * way.times;
  if (way == StepWay()) return;
  const auto [it, added] = m_ways[index].emplace(way, OwnProfile{m_nextProfile, 0});
  m_nextProfile += added;
  it->second.executions += way.times;
}

void ExecutionRecorder::slice(int index, int set, int64_t startCycle, int64_t cycles, const StepWay& way) {
  const int64_t times = way.times;
  const Step& s = m_e.program.steps[std::size_t(index)];
  Track& t = m_tracks[std::size_t(set)];
  t.cycles[std::size_t(s.activity)] += cycles * times;
  if (!m_transfers.empty()) {
    HiddenTransfers& transfers = m_transfers[std::size_t(m_sets.ipuOf(set))];
    const bool withHost = s.activity == Activity::HostStream || (s.activity == Activity::Sync && s.external);
    if (!m_sets.isIo(set))
      transfers.work({startCycle, startCycle + cycles * times});
    else if (withHost)
      transfers.transfer({startCycle, startCycle + cycles * times});
  }
  if (cycles == 0) return;
  if (m_blockTimer) {
    m_blockTimer->slice(set, startCycle, startCycle + cycles * times);
    m_blockTimer->streamCopy(index, m_sets.ipuOf(set), startCycle, cycles, times);
  }
  if (m_slicesLeft <= 0) {
    if (m_slicesOmitted++ == 0) m_traceEnd = startCycle;
    return;
  }
  openScopes(t, pathOf(index), startCycle);
  t.slices->add(int(t.open.size()), startCycle, cycles * times, nameOf(index), uint8_t(s.activity),
                way == StepWay() ? m_rowId[std::size_t(index)] : m_ways.at(index).at(way).id);
  t.end = startCycle + cycles * times;
  --m_slicesLeft;
}

void ExecutionRecorder::endRun(int64_t endCycle) {
  m_run.cycles = endCycle - m_run.startCycle;
  m_blocks.clear(); // drops blocks that an error left open
  m_calls.clear();
  if (m_blockTimer) m_blockTimer->endRun();
  for (Track& t : m_tracks) {
    closeScopes(t, 1, t.end);
    closeScopes(t, 0, endCycle);
  }
  sumUpRun();
  for (Track& t : m_tracks) t.cycles = {};
  m_sink.add(m_run);
}

// The critical IPU is the one that was busy longest. Its waits for other IPUs count as idle time, its waits for its own I/O tiles
// as host time. Transfers hidden behind its work are a separate sum, so that no cycle counts twice.
void ExecutionRecorder::sumUpRun() {
  int64_t mostBusy = -1;
  for (int set = 0; set < m_sets.count(); set += m_sets.perIpu()) {
    const auto of = [&](Activity a) { return m_tracks[std::size_t(set)].cycles[std::size_t(a)]; };
    const auto transfers = m_transfers.empty() ? HiddenTransfers::Sums() : m_transfers[std::size_t(m_sets.ipuOf(set))].sums();
    const int64_t compute = of(Activity::Compute) + of(Activity::OnTileCopy),
                  exchange = of(Activity::InternalExchange) + of(Activity::GlobalExchange),
                  host = of(Activity::HostStream) + transfers.exposed;
    const int64_t busy = compute + exchange + of(Activity::Sync) + host;
    if (busy <= mostBusy) continue;
    mostBusy = busy;
    m_run.computeCycles = compute;
    m_run.exchangeCycles = exchange;
    m_run.syncCycles = of(Activity::Sync);
    m_run.hostCycles = host;
    m_run.hiddenHostCycles = transfers.hidden;
    m_run.idleCycles = m_run.cycles - busy;
  }
}

void ExecutionRecorder::finish() {
  for (Track& t : m_tracks) t.slices->finish();
  if (m_blockTimer) m_blockTimer->finish();
  writeSums(m_sink);
}

void ExecutionRecorder::writeSoFar(ReportSink& sink) {
  for (const Track& t : m_tracks) t.slices->copyTo(sink).finish();
  if (m_blockTimer) m_blockTimer->writeSoFar(sink);
  writeSums(sink);
}

compile::CountedSets ExecutionRecorder::countedSets() const {
  compile::CountedSets sets;
  for (const auto& [step, ways] : m_ways)
    for (const auto& [way, own] : ways) {
      if (!way.cost) continue;
      compile::CountedSet& set = sets[int64_t(m_e.program.steps[std::size_t(step)].computeSet.value())];
      set.executions += own.executions;
      set.maxCycles = std::max(set.maxCycles, way.cost->duration);
      set.activeTiles = std::max(set.activeTiles, way.cost->cycles.activeTiles());
      set.tileCycles += way.cost->cycles.sum() * own.executions;
      set.workerCycles += way.cost->workerCycles * own.executions;
      for (const auto& [type, cycles] : way.cost->ofTypes) set.ofTypes[type] += cycles * own.executions;
    }
  return sets;
}

void ExecutionRecorder::writeSums(ReportSink& sink) {
  compile::writeComputeSets(m_e, countedSets(), m_strings, sink);
  writeOmitted(sink);
  writeProfiles(sink);
  writeOperations(sink);
  writeTileSums(sink);
}

void ExecutionRecorder::writeProfile(int index, int64_t id, int64_t executions, const StepWay& way, ReportSink& sink) {
  const Step& s = m_e.program.steps[std::size_t(index)];
  compile::PerTile cycles = way.cost ? way.cost->cycles : s.cycles;
  if (way.wait > 0)
    for (const auto& r : s.cycles.runs()) cycles.add(r.tiles, way.wait);
  StepProfileRow row;
  row.id = id;
  row.programStepId = m_rowId[std::size_t(index)];
  row.cycles = s.duration.value() + extraOf(index, way);
  row.executions = executions;
  row.activeTiles = cycles.activeTiles();
  row.busyCycles = cycles.sum();
  if (s.exchange >= 0) {
    row.bytesIn = m_e.program.exchanges[std::size_t(s.exchange)].bytesIn.sum();
    row.bytesOut = m_e.program.exchanges[std::size_t(s.exchange)].bytesOut.sum();
  }
  row.flops = s.flops;
  row.tiles = m_e.graph->tiles();
  row.cyclesByTile = packRuns(cycles.dense(row.tiles));
  if (way.times > 1) row.sliceExecutions = way.times;
  sink.add(row);
}

void ExecutionRecorder::writeProfiles(ReportSink& sink) {
  for (std::size_t i = 0; i < m_e.program.steps.size(); ++i) {
    const Step& s = m_e.program.steps[i];
    if (s.ordinal < 0) continue;
    int64_t promptly = m_executions[i];
    const auto ways = m_ways.find(int(i));
    if (ways != m_ways.end())
      for (const auto& [way, own] : ways->second) promptly -= own.executions;
    const bool isOther = promptly == 0 && ways != m_ways.end() && !ways->second.empty(); // no execution took the compiled time
    if (!isOther) writeProfile(int(i), m_rowId[i], promptly, {}, sink);
    if (ways != m_ways.end())
      for (const auto& [way, own] : ways->second) writeProfile(int(i), own.id, own.executions, way, sink);
    if (s.kind == StepKind::StreamCopyMid && s.action) {
      StreamCopyRow copy;
      copy.programStepId = m_rowId[i];
      const auto& buffer = s.action->remoteBuffer; // its row follows the rows of the streams
      copy.streamId = buffer.valid() ? int64_t(m_e.graph->streams().size()) + buffer.id : int64_t(s.action->stream.value);
      const auto& tensor = s.action->destination.valid() ? s.action->destination : s.action->source;
      copy.bytes = tensor.numElements() * int64_t(numerics::deviceSize(tensor.elementType()));
      copy.executions = m_executions[i];
      sink.add(copy);
    }
  }
}

// Reports that the trace is incomplete if its size limit was reached.
void ExecutionRecorder::writeOmitted(ReportSink& sink) {
  if (m_slicesOmitted == 0 || m_maxSlices == 0) return;
  reports::ReportIssueRow row;
  row.severity = "warning";
  row.place = "execution trace";
  row.message = fmt::format("the trace ends at cycle {}: {} more slices were run and counted, but not stored",
                            inThousands(m_traceEnd), inThousands(m_slicesOmitted));
  row.advice = "sums, profiles and memory cover the whole run; to see later steps, run fewer iterations";
  row.count = m_slicesOmitted;
  sink.add(row);
}

void ExecutionRecorder::writeOperations(ReportSink& sink) {
  OperationSums sums(m_e);
  std::vector<int64_t> own = m_executions, ownExtra(m_executions.size(), 0);
  for (const auto& [step, ways] : m_ways)
    for (const auto& [way, taken] : ways) ownExtra[std::size_t(step)] += extraOf(step, way) * taken.executions;
  for (const auto& [key, called] : m_called) own[uint32_t(key)] -= called.executions, ownExtra[uint32_t(key)] -= called.extra;
  const auto operationOf = [&](graph::DebugContextId context) {
    return context.valid() ? operationContext(*m_e.graph, context) : -1;
  };
  std::vector<OperationSums::Callers> byStep(m_executions.size());
  std::map<int64_t, OperationSums::Callers> byOperation;
  const auto add = [&](int index, int frame, int64_t executions, int64_t extra) {
    const Step& s = m_e.program.steps[std::size_t(index)];
    const int64_t operation = s.ordinal < 0 ? -1 : operationOf(s.context);
    if (operation < 0) return;
    const int64_t caller = m_calls.caller(frame, operation);
    sums.addRun(caller, s, executions, s.duration.value() * executions + extra);
    byStep[std::size_t(index)][caller] += executions;
    byOperation[operation][caller] += executions;
  };
  for (const auto& [frame, step] : m_order) {
    const Called called = frame == CallFrames::kNone ? Called{own[std::size_t(step)], ownExtra[std::size_t(step)]}
                                                     : m_called.at(inFrame(frame, step));
    add(step, frame, called.executions, called.extra);
  }
  for (std::size_t i = 0; i < m_e.program.steps.size(); ++i) {
    const Step& s = m_e.program.steps[i];
    if (const int64_t operation = s.ordinal < 0 ? -1 : operationOf(s.context); operation >= 0)
      sums.addStep(operation, byStep[i], s);
  }
  for (const auto& s : m_e.storage)
    if (const int64_t operation = operationOf(s.context); operation >= 0)
      sums.addVariable(operation, byOperation[operation], s.bytes.sum());
  for (const OperationRow& row : sums.rows()) sink.add(row);
}

void ExecutionRecorder::writeTileSums(ReportSink& sink) {
  const std::size_t tiles = std::size_t(m_e.graph->tiles());
  std::vector<int64_t> compute(tiles, 0), exchange(tiles, 0);
  for (std::size_t i = 0; i < m_e.program.steps.size(); ++i) {
    const Step& s = m_e.program.steps[i];
    const bool computes = s.activity == Activity::Compute || s.activity == Activity::OnTileCopy;
    if (!computes && s.activity != Activity::InternalExchange) continue;
    auto& sums = computes ? compute : exchange;
    const auto add = [&sums](const compile::PerTile& cycles, int64_t executions) {
      for (const auto& r : cycles.runs())
        for (int64_t t = r.tiles.begin; t < r.tiles.end; ++t) sums[std::size_t(t)] += r.value * executions;
    };
    int64_t asCompiled = m_executions[i];
    if (const auto ways = m_ways.find(int(i)); ways != m_ways.end())
      for (const auto& [way, own] : ways->second) {
        if (!way.cost) continue;
        add(way.cost->cycles, own.executions);
        asCompiled -= own.executions;
      }
    add(s.cycles, asCompiled);
  }
  sink.add(compile::tileSeries("cycles.compute", "cycle", compute));
  sink.add(compile::tileSeries("cycles.exchange", "cycle", exchange));
}

} // namespace simcore::run
