#include "analyser/trace/pipeline.h"

#include "analyser/session/metadata_count.h"
#include "analyser/trace/tile_cycles.h"
#include "reports/sqlite/reader.h"

#include <algorithm>

namespace analyser::trace {

namespace {

constexpr double kAlike = 0.05; // stages are equally slow if their work differs by less

constexpr int kPhaseDepth = 1; // below the run

enum class Phase { Fill, Main, Flush, None };

Phase phaseOf(const std::string& name) {
  return name == "fill" ? Phase::Fill : name == "main" ? Phase::Main : name == "flush" ? Phase::Flush : Phase::None;
}

// The phases of all runs, each from its begin on the first IPU to its end on the last one.
struct Phases {
  std::array<Cycles, 3> cycles;
  std::vector<TickRange> ranges; // one per run: from the begin of fill to the end of flush
};

Phases findPhases(ExecutionTrace& trace, const std::stop_token& stop) {
  Phases phases;
  std::map<std::pair<std::size_t, Phase>, TickRange> found; // by run
  for (const Track& track : trace.tracks()) {
    if (track.isIo() || track.depths <= kPhaseDepth) continue;
    std::array<std::size_t, 3> seen{};
    trace.slices().forEach(track.id, kPhaseDepth, trace.range(), stop, [&](const Slice& s) {
      const Phase phase = phaseOf(trace.slices().session().text(s.name));
      if (phase == Phase::None) return;
      const std::size_t run = seen[static_cast<std::size_t>(phase)]++;
      const auto [at, isNew] = found.try_emplace({run, phase}, s.ticks);
      if (!isNew) at->second = {std::min(at->second.begin, s.ticks.begin), std::max(at->second.end, s.ticks.end)};
    });
  }
  for (std::size_t run = 0;; ++run) {
    const auto fill = found.find({run, Phase::Fill}), main = found.find({run, Phase::Main}),
               flush = found.find({run, Phase::Flush});
    if (fill == found.end() || main == found.end() || flush == found.end()) return phases;
    // IPUs enter a phase at different times: the phase begins when the first IPU enters it.
    const int64_t start = fill->second.begin, mid = std::max(start, main->second.begin),
                  late = std::max(mid, flush->second.begin);
    const int64_t end = std::max(late, flush->second.end);
    phases.cycles[0] += Cycles(mid - start), phases.cycles[1] += Cycles(late - mid), phases.cycles[2] += Cycles(end - late);
    phases.ranges.push_back({start, end});
  }
}

Cycles workingIn(ExecutionTrace& trace, const Track& track, const std::vector<TickRange>& ranges, const std::stop_token& stop) {
  int64_t working = 0;
  for (const TickRange& range : ranges)
    for (int depth = 0; depth < track.depths; ++depth) {
      const CategoryTicks busy = trace.slices().busyTicks(track.id, depth, range, stop);
      for (int a = 0; a < int(reports::Activity::Idle); ++a) working += busy.ticks[std::size_t(a)];
    }
  return Cycles(working);
}

bool foldsLoops(Session& session, const std::stop_token& stop) {
  bool folds = false;
  session.reader().forEach<reports::RunRow>(
      {}, {}, [&](const reports::RunRow& row) { folds = folds || row.foldedIterations > 0; }, stop);
  return folds;
}

// Number of updates, summed over the report's runs.
int64_t updatesOf(Session& session) {
  const auto count = [&](const char* key) { return std::max<int64_t>(1, metadataCount(session, key).value_or(1)); };
  constexpr int64_t kMost = 1'000'000'000; // limit for damaged reports
  return std::min(kMost, count("iterations")) * std::min(kMost, count("batches_per_step"));
}

// Busy cycles of each IPU in all runs, summed over the steps.
std::vector<Cycles> workingInRuns(Session& session, const std::stop_token& stop) {
  std::vector<Cycles> working(static_cast<std::size_t>(session.machine().ipus));
  for (const auto& [step, cost] : tileCyclesBySteps(session, stop))
    for (const auto& [ipu, cycles] : cost.onIpus)
      if (ipu >= 0 && static_cast<std::size_t>(ipu) < working.size()) working[static_cast<std::size_t>(ipu)] += Cycles(cycles);
  return working;
}

// `stages` may exceed the number of IPUs, because an IPU may have several stages.
Sentence verdictOf(const Pipeline& p, int64_t stages) {
  const bool isOneEach = stages <= int64_t(p.stages.size());
  Sentence words;
  words << "Pipeline of " << (isOneEach ? int64_t(p.stages.size()) : stages) << " stages";
  if (!isOneEach) words << " on " << int64_t(p.stages.size()) << " IPUs";
  if (p.microBatches > 0) words << " and " << p.microBatches << " micro-batches";
  if (p.passes > 1) words << ", all " << p.passes << " passes together";
  words << ": " << Sentence::Percent{p.bubble} << " of the stages' time " << (p.isOfRuns ? "in the runs " : "") << "is bubble";
  const auto addPhases = [&] { words << "; fill " << p.fill << ", main " << p.main << ", flush " << p.flush; };
  if (p.slowest < 0) return addPhases(), words;
  const PipelineStage& slowest = p.stages[static_cast<std::size_t>(p.slowest)];
  const int64_t others = p.slowStages() - 1;
  words << (isOneEach ? "; the slowest stage is IPU " : "; the slowest is IPU ") + std::to_string(slowest.ipu.value());
  if (others > 0) words << ", about as slow as " << others << (others == 1 ? " other" : " others");
  words << ", with ";
  if (p.microBatches > 0)
    words << slowest.perMicroBatch << " per micro-batch";
  else
    words << slowest.busy;
  addPhases(); // last, so that a narrow line cuts only this part
  return words;
}

} // namespace

bool storesAllExecutions(Session& session, std::stop_token stop) {
  return !session.reader().first<reports::ReportIssueRow>("place = 'execution trace'") &&
         (!foldsLoops(session, stop) || session.reader().first<reports::StepProfileRow>("slice_executions > 1"));
}

std::unordered_map<int64_t, int64_t> executionsOfFolded(Session& session, std::stop_token stop) {
  std::unordered_map<int64_t, int64_t> executions;
  session.reader().forEach<reports::StepProfileRow>(
      "slice_executions > 1", {}, [&](const reports::StepProfileRow& row) { executions.emplace(row.id, *row.sliceExecutions); },
      stop);
  return executions;
}

int64_t Pipeline::slowStages() const {
  if (slowest < 0) return 0;
  const double least = double(stages[std::size_t(slowest)].busy.value()) * (1 - kAlike);
  return std::count_if(stages.begin(), stages.end(), [&](const PipelineStage& s) { return double(s.busy.value()) >= least; });
}

double Pipeline::bubbleOfRuns() const {
  if (isOfRuns) return bubble;
  const Cycles inside = fill + main + flush;
  return inside + outside > Cycles() ? bubble * ratio(inside, inside + outside) : 0;
}

Cycles Pipeline::meanBusy() const {
  Cycles sum;
  for (const PipelineStage& stage : stages) sum += stage.busy;
  return sum / std::max<int64_t>(1, int64_t(stages.size()));
}

std::optional<Pipeline> pipeline(ExecutionTrace& trace, std::stop_token stop) {
  const Phases phases = findPhases(trace, stop);
  if (phases.ranges.empty()) return std::nullopt;
  Pipeline p;
  p.microBatches = metadataCount(trace.slices().session(), "micro_batches").value_or(0);
  p.fill = phases.cycles[0], p.main = phases.cycles[1], p.flush = phases.cycles[2];
  p.phases = phases.ranges.front();
  Cycles whole;
  for (const TickRange& range : phases.ranges) whole += Cycles(range.size());
  p.outside = Cycles(trace.range().size()) - whole;
  const bool folds = foldsLoops(trace.slices().session(), stop);
  p.isOfRuns = !storesAllExecutions(trace.slices().session(), stop);
  const std::vector<Cycles> working = p.isOfRuns ? workingInRuns(trace.slices().session(), stop) : std::vector<Cycles>();
  if (p.isOfRuns) whole = Cycles(trace.range().size());
  Cycles waiting;
  // A folded loop of updates has one set of phases. It is as long as all updates together, or, in older reports, as long as one
  // update.
  const auto stored = int64_t(phases.ranges.size());
  const int64_t updates = p.isOfRuns || folds ? std::max(stored, updatesOf(trace.slices().session())) : stored;
  if (p.isOfRuns && updates > stored) {
    for (Cycles* phase : {&p.fill, &p.main, &p.flush}) *phase = *phase / stored * updates;
    p.outside = std::max(Cycles(), Cycles(trace.range().size()) - p.fill - p.main - p.flush);
  }
  p.passes = updates;
  const int64_t microBatches = p.microBatches * updates;
  for (const Track& track : trace.tracks()) {
    if (track.isIo() || !track.ipu) continue;
    PipelineStage stage;
    stage.ipu = *track.ipu;
    const std::size_t ipu = stage.ipu.value();
    stage.busy = std::min(whole, !p.isOfRuns            ? workingIn(trace, track, phases.ranges, stop)
                                 : ipu < working.size() ? working[ipu]
                                                        : Cycles());
    stage.waiting = whole - stage.busy;
    stage.perMicroBatch = microBatches > 0 ? stage.busy / microBatches : Cycles();
    stage.bubble = whole > Cycles() ? ratio(stage.waiting, whole) : 0;
    waiting += stage.waiting;
    p.stages.push_back(stage);
  }
  if (p.stages.size() < 2) return std::nullopt;
  p.slowest = static_cast<int>(
      std::max_element(p.stages.begin(), p.stages.end(), [](const auto& a, const auto& b) { return a.busy < b.busy; }) -
      p.stages.begin());
  p.bubble = whole > Cycles() ? ratio(waiting, whole) / double(p.stages.size()) : 0;
  p.verdict = verdictOf(p, metadataCount(trace.slices().session(), "pipeline_stages").value_or(0));
  return p;
}

} // namespace analyser::trace
