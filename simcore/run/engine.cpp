#include "simcore/run/engine.h"

#include "reports/core/error.h"
#include "reports/core/text.h"

#include <algorithm>
#include <iomanip>
#include <optional>
#include <set>
#include <sstream>

namespace simcore::run {

using compile::StepKind;
using graph::ProgramNode;
using reports::Error;
using reports::ErrorCode;
using Kind = ProgramNode::Kind;

Engine::Engine(const Executable& executable, EngineOptions options, ExecutionRecorder* recorder, HostTimeline* timeline)
    : m_e(executable), m_options(options), m_recorder(recorder), m_given(recorder), m_timeline(timeline),
      m_tensors(*executable.graph, options.checkReads, options.seed, options.numbers),
      m_streams(*executable.graph, options.prefetch), m_vertices(*executable.graph, options.vertices),
      m_sets(executable.graph->machine()), m_clocks(std::size_t(m_sets.count()), 0),
      m_hostFree(std::size_t(executable.graph->machine().ipus), 0), m_setCycles(executable.program.steps.size()),
      m_length(executable.program, options.numbers ? 0 : options.shownIterations),
      m_stillLoops(executable.program, *executable.graph) {
  if (!m_options.numbers || m_options.replicas < 2) return;
  m_others.assign(std::size_t(m_options.replicas) - 1, m_tensors);
  for (std::size_t r = 0; r < m_others.size(); ++r) m_others[r].setReplica(r + 1);
  m_streams.setReplicas(m_options.replicas);
}

int64_t Engine::cycle() const { return *std::max_element(m_clocks.begin(), m_clocks.end()); }

std::shared_ptr<void> Engine::span(const std::string& name) { return m_timeline ? m_timeline->span(name, "numbers") : nullptr; }

namespace {
// Host-to-device streams of a step and the steps inside it, including functions.
std::vector<uint32_t> streamsOf(const compile::LoweredProgram& program, int root) {
  std::set<uint32_t> streams;
  std::set<int> seen;
  std::vector<int> open{root};
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    if (!seen.insert(i).second) continue;
    const Step& s = program.steps[std::size_t(i)];
    if (s.kind == StepKind::StreamCopyMid && s.action && s.action->kind == Kind::StreamToTensor)
      streams.insert(s.action->stream.value);
    if (s.callee >= 0) open.push_back(s.callee);
    open.insert(open.end(), s.children.begin(), s.children.end());
  }
  return {streams.begin(), streams.end()};
}
} // namespace

void Engine::run(std::size_t index, const std::string& name, std::stop_token stop, reports::Progress& progress) {
  if (m_options.numbers && !m_e.allocation.fits())
    throw Error(ErrorCode::OutOfMemory,
                reports::counted(m_e.allocation.overflowTiles, "tile is", "tiles are") + " out of memory; the program cannot run",
                "tile " + std::to_string(m_e.allocation.maxTile), "open the report to see what fills them");
  if (index >= m_e.programs.size())
    throw Error(ErrorCode::InvalidInput, "program " + std::to_string(index) + " does not exist", "Engine::run",
                "this engine has programs 0 to " + std::to_string(int64_t(m_e.programs.size()) - 1));
  const int root = m_e.program.roots[index];
  m_stop = stop;
  m_progress = &progress;
  requireEnd(root, name);
  m_done = m_nextUpdate = 0;
  m_total = std::max(1.0, m_length.of(root).walked);
  std::fill(m_clocks.begin(), m_clocks.end(), cycle()); // all sets begin a run at the same cycle
  m_hostSeen = cycle();
  // Samples name their program "step", so their runs are shown only by number, as on the device's track.
  const std::string call = "Engine::run " + (name.starts_with("step #") ? name.substr(5) : name);
  const auto span = m_timeline ? m_timeline->runSpan(call, m_recorder ? m_recorder->nextRun() : -1) : nullptr;
  m_streams.beginRun(index, streamsOf(m_e.program, root), cycle());
  m_tensors.setFloatingPoint(m_options.floatingPoint);
  if (m_recorder) m_recorder->beginRun(name, root, cycle());
  std::fill(m_clocks.begin(), m_clocks.end(), cycle() + m_options.hostCallCycles);
  try {
    steps(m_e.program.steps[std::size_t(root)].children, 1);
  } catch (...) { // the caller may continue: this run's record ends here, and the next run begins after it
    if (m_recorder) m_recorder->endRun(cycle());
    throw;
  }
  progress.update(1);
  if (m_recorder) m_recorder->endRun(cycle());
}

void Engine::steps(const std::vector<int>& children, int64_t times) {
  if (m_recorder && m_recorder->blockTimer()) return stepsInBlocks(children, times, *m_recorder->blockTimer());
  for (int child : children) step(child, times);
}

void Engine::stepsInBlocks(const std::vector<int>& children, int64_t times, BlockTimer& blocks) {
  auto outer = blocks.beginList();
  for (int child : children) {
    const auto& wanted = m_recorder->timedBlocks(child);
    if (blocks.canJoin(child)) {
      blocks.join(wanted);
      step(child, times);
      blocks.leave();
      continue;
    }
    blocks.arrive(wanted);
    flushBlocks(blocks);
    blocks.open(wanted, times);
    step(child, times);
  }
  blocks.endList(std::move(outer));
  flushBlocks(blocks);
}

// Sends full buffers to the host between two steps. A loop that waits for the host does not count this as contact.
void Engine::flushBlocks(BlockTimer& blocks) {
  if (!blocks.anyFull()) return;
  const int64_t calls = m_hostCalls;
  for (const auto& full : blocks.takeFull()) {
    blocks.beginFlush(full);
    for (int child : m_e.program.steps[std::size_t(m_e.program.blockFlushes[std::size_t(full.ipu)])].children)
      step(child, full.times);
    blocks.endFlush();
  }
  m_hostCalls = calls;
}

void Engine::requireEnd(int root, const std::string& name) const {
  const Length& length = m_length.of(root);
  const auto in = [](double n) {
    std::ostringstream text;
    text << std::setprecision(2) << n;
    return text.str();
  };
  constexpr double kClockEnds = 4e18; // limit of a 64-bit clock, with a margin for data-dependent loops
  if (length.cycles > kClockEnds || length.executions > kClockEnds)
    throw Error(ErrorCode::InvalidInput,
                "the program takes " + in(length.executions) + " steps and " + in(length.cycles) +
                    " cycles, more than a 64-bit counter holds",
                name, "reduce the iterations of its loops");
  if (length.walked > m_options.maxSteps)
    throw Error(ErrorCode::InvalidInput,
                "the program takes " + in(length.walked) + " steps; the limit of the simulator is " + in(m_options.maxSteps),
                name, "reduce the iterations of its loops" + std::string(m_options.numbers ? ", or run it without numbers" : ""));
}

// Updates the progress about a thousand times per run, because drawing it may be slow.
void Engine::progressed() {
  if (++m_done < m_nextUpdate) return;
  m_nextUpdate = m_done + m_total / 1000;
  m_progress->update(std::min(1.0, m_done / m_total)); // the total counts data-dependent loops once
}

void Engine::repeat(int index, int64_t times) {
  const Step& s = m_e.program.steps[std::size_t(index)];
  const bool fold = m_length.isFolded(index);
  const int64_t shown = fold ? m_options.shownIterations : s.repeat;
  const bool mayStand = !fold && mayStandStill(index);
  const StillLoops::Still* still = mayStand ? m_stillLoops.standing(index, m_tensors, m_others) : nullptr;
  for (int64_t i = 0; i < shown; ++i) {
    reports::throwIfStopped(m_stop);
    if (still) {
      knownIteration(*still, times);
    } else if (mayStand && StillLoops::isCompared(i, shown)) {
      still = comparedIteration(index, times);
    } else {
      steps(s.children, times);
    }
    requireHostInTime(s);
  }
  if (!fold) return;
  // Each remaining iteration costs the same as one: its steps are counted, not stored one by one.
  steps(s.children, times * (s.repeat - shown));
  if (m_recorder) m_recorder->foldedIterations((s.repeat - shown) * times);
}

bool Engine::mayStandStill(int index) {
  constexpr double kMostSteps = 1e6; // limit of steps whose costs are stored
  return m_options.numbers && !m_known && !(m_recorder && m_recorder->blockTimer()) && m_stillLoops.canStandStill(index) &&
         m_length.of(index).walked <= kMostSteps * double(m_e.program.steps[std::size_t(index)].repeat);
}

// Runs an iteration and compares it with the one before. Null if a value changed.
const StillLoops::Still* Engine::comparedIteration(int index, int64_t times) {
  const auto& children = m_e.program.steps[std::size_t(index)].children;
  auto before = StillLoops::before(index, m_tensors, m_others);
  if (!before) {
    steps(children, times);
    return nullptr;
  }
  struct Keeping {
    std::vector<StillLoops::Costs*>& all;
    ~Keeping() { all.pop_back(); }
  };
  {
    m_kept.push_back(&before->costs);
    const Keeping keeping{m_kept};
    steps(children, times);
  }
  return m_stillLoops.compared(std::move(*before), m_tensors, m_others);
}

void Engine::knownIteration(const StillLoops::Still& still, int64_t times) {
  struct Known {
    const StillLoops::Costs*& costs;
    ~Known() { costs = nullptr; }
  };
  const Known known{m_known};
  m_known = &still.costs;
  m_nextKnown = 0;
  steps(m_e.program.steps[std::size_t(still.repeat)].children, times);
}

// A saved state of a loop.
struct Standstill {
  int64_t round = 0, hostCalls = 0;
  std::optional<TensorStore> first;
  std::vector<TensorStore> others;
};

void Engine::repeatWhile(int index, int64_t times) {
  const Step& s = m_e.program.steps[std::size_t(index)];
  const bool wanted = s.action->kind == Kind::RepeatWhileTrue;
  Standstill seen;
  for (int64_t round = 0;; ++round) {
    reports::throwIfStopped(m_stop);
    step(s.children[0], times);
    // Without numbers a data-dependent loop runs once.
    if (m_options.numbers ? predicate(s.action->source) != wanted : round == 1) return;
    requireProgress(s, round, seen);
    requireHostInTime(s);
    step(s.children[1], times);
  }
}

// Stops loops that never end. After many iterations all values are saved from time to time and compared with those of the next
// iterations: if no value changed and the host was not called, the loop would repeat the same iteration for ever.
void Engine::requireProgress(const Step& loop, int64_t round, Standstill& seen) const {
  constexpr int64_t kLong = 1 << 15, kCompared = 64;
  if (round >= m_options.maxIterations)
    throw Error(ErrorCode::InvalidInput, "the loop did not end after " + std::to_string(round) + " iterations", loop.shownName(),
                "check what its predicate reads, or allow more with the engine option tilescope.maxLoopRounds");
  if (round >= kLong && (round & (round - 1)) == 0) {
    seen = {round, m_hostCalls, m_tensors, m_others};
    return;
  }
  if (!seen.first) return;
  const bool same = seen.hostCalls == m_hostCalls && m_tensors.sameAs(*seen.first) &&
                    std::equal(m_others.begin(), m_others.end(), seen.others.begin(),
                               [](const TensorStore& a, const TensorStore& b) { return a.sameAs(b); });
  if (same)
    throw Error(ErrorCode::InvalidInput,
                "the loop never ends: after " + std::to_string(round) + " iterations every value is the same as " +
                    reports::counted(round - seen.round, "iteration") + " before",
                loop.shownName(), "change the inputs of the predicate in the body or in the condition");
  if (round - seen.round >= kCompared) seen = {};
}

// Throws if the device did not return to the host within hostSyncTimeout: Poplar's host gives up then.
void Engine::requireHostInTime(const Step& loop) const {
  if (m_options.hostSyncTimeout <= 0) return;
  const double seconds = double(cycle() - m_hostSeen) / m_e.graph->machine().clockHz;
  if (seconds > double(m_options.hostSyncTimeout))
    throw Error(ErrorCode::InvalidInput,
                "the program did not come back to the host for " + std::to_string(m_options.hostSyncTimeout) + " seconds",
                loop.shownName(), "raise target.hostSyncTimeout, or let the program end or transfer something earlier");
}

void Engine::step(int index, int64_t times) {
  const Step& s = m_e.program.steps[std::size_t(index)];
  switch (s.kind) {
  case StepKind::Repeat: return repeat(index, times);
  case StepKind::RepeatWhile: return repeatWhile(index, times);
  case StepKind::If: return step(s.children[!m_options.numbers || predicate(s.action->source) ? 0 : 1], times);
  case StepKind::Switch: {
    std::size_t chosen = s.action->cases.size();
    if (m_options.numbers)
      for (std::size_t c = 0; c < s.action->cases.size(); ++c)
        if (m_tensors.read(s.action->source).integerAt(0) == s.action->cases[c]) chosen = c;
    return step(s.children[chosen], times);
  }
  case StepKind::Call:
    if (m_recorder) m_recorder->beginCall(index);
    steps(m_e.program.steps[std::size_t(s.callee)].children, times);
    if (m_recorder) m_recorder->endCall();
    return;
  default: break;
  }
  if (s.kind == StepKind::Block && m_recorder) {
    m_recorder->beginBlock(index);
    steps(s.children, times);
    return m_recorder->endBlock();
  }
  if (compile::isControl(s.kind)) return steps(s.children, times);
  progressed();
  StepWay way{0, times, nullptr};
  if (s.action && m_options.numbers) {
    reports::throwIfStopped(m_stop);
    way.wait = hostWait(index, s);
    m_cost = nullptr;
    if (m_known)
      m_cost = m_known->at(m_nextKnown++);
    else if (s.kind != StepKind::StreamCopyBegin && s.kind != StepKind::StreamCopyEnd)
      numbersOf(s);
    for (StillLoops::Costs* costs : m_kept) costs->push_back(m_cost);
    way.cost = m_cost;
  }
  if (s.kind == StepKind::HostCompute) return;
  advance(index, s, way);
  if (s.activity != reports::Activity::HostStream) return;
  m_hostSeen = cycle();
  ++m_hostCalls;
}

namespace {
// Steps that synchronise the participating IPUs (those with busy tiles); the other IPUs continue independently.
bool isJoint(const Step& s) {
  switch (s.activity) {
  case reports::Activity::GlobalExchange:
  case reports::Activity::HostStream: return true;
  case reports::Activity::Sync: return s.external;
  default: return false;
  }
}
} // namespace

std::vector<int64_t> Engine::bySet(const graph::PerTile& cycles) const {
  std::vector<int64_t> list(m_clocks.size(), 0);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = cycles.within(m_sets.tiles(int(i))).max();
  return list;
}

const std::vector<int64_t>& Engine::cyclesBySet(int index, const Step& s) {
  auto& list = m_setCycles[std::size_t(index)];
  if (list.empty()) list = bySet(s.cycles);
  return list;
}

int64_t Engine::startOf(const Step& s, int first, int end, const std::vector<int64_t>& cycles) const {
  int64_t start = 0; // when the last participating set is ready
  for (int i = first; i < end; ++i) {
    if (cycles[std::size_t(i)] == 0) continue;
    start = std::max(start, m_clocks[std::size_t(i)]);
    // all sets of an IPU share its link to the host
    if (s.activity == reports::Activity::HostStream) start = std::max(start, m_hostFree[std::size_t(m_sets.ipuOf(i))]);
  }
  return start;
}

int64_t Engine::hostWait(int index, const Step& s) {
  if (s.kind != StepKind::StreamCopyBegin && s.kind != StepKind::StreamCopyEnd) return 0;
  const int64_t end = startOf(s, 0, m_sets.count(), cyclesBySet(index, s)) + s.duration.value();
  if (s.kind == StepKind::StreamCopyBegin && s.action->kind == Kind::StreamToTensor)
    return m_streams.waitForData(s.action->stream.value, end);
  if (s.kind == StepKind::StreamCopyEnd && s.action->kind == Kind::TensorToStream)
    return m_streams.waitForRoom(s.action->stream.value, end);
  return 0;
}

void Engine::advance(int index, const Step& s, const StepWay& way) {
  if (m_recorder) m_recorder->executed(index, way);
  std::vector<int64_t> own;
  if (way.cost) own = bySet(way.cost->cycles);
  const auto& cycles = way.cost ? own : cyclesBySet(index, s);
  if (isJoint(s)) return advanceTogether(index, s, 0, m_sets.count(), way, cycles);
  for (int i = 0; i < m_sets.count(); i += m_sets.perIpu()) advanceTogether(index, s, i, i + m_sets.perIpu(), way, cycles);
}

void Engine::advanceTogether(int index, const Step& s, int first, int end, const StepWay& way,
                             const std::vector<int64_t>& bySet) {
  const int64_t start = startOf(s, first, end, bySet), slowest = *std::max_element(bySet.begin() + first, bySet.begin() + end);
  const int64_t cycles = isJoint(s) ? s.duration.value() + way.wait : slowest;
  for (int i = first; i < end; ++i) {
    if (bySet[std::size_t(i)] == 0) continue;
    if (m_recorder) m_recorder->slice(index, i, start, cycles, way);
    m_clocks[std::size_t(i)] = start + cycles * way.times;
    if (s.activity == reports::Activity::HostStream) m_hostFree[std::size_t(m_sets.ipuOf(i))] = m_clocks[std::size_t(i)];
  }
}

} // namespace simcore::run
