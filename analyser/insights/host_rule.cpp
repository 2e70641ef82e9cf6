// Time in which the program only moves data between the host and the IPUs.
#include "analyser/insights/rules.h"
#include "analyser/trace/execution_trace.h"
#include "analyser/trace/pipeline.h"

#include "reports/sqlite/reader.h"

#include <algorithm>
#include <map>
#include <optional>

namespace analyser::insights {

namespace {

constexpr double kHostShare = 0.1;         // share of the run
constexpr int64_t kMostSlices = 4'000'000; // the trace is not read if it has more slices; this many take a tenth of a second
constexpr std::size_t kMostIpus = 6;       // IPUs that the finding names

using Ranges = std::vector<reports::TickRange>;

void unite(Ranges& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const auto& range : ranges) {
    if (range.empty()) continue;
    if (kept && ranges[kept - 1].end >= range.begin)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

// Ticks of the union of `ranges` that are not in the union of `without`.
int64_t sizeWithout(const Ranges& ranges, const Ranges& without) {
  int64_t size = 0;
  auto next = without.begin();
  for (const auto& range : ranges) {
    size += range.size();
    while (next != without.end() && next->end <= range.begin) ++next;
    for (auto at = next; at != without.end() && at->begin < range.end; ++at) size -= at->clippedTo(range).size();
  }
  return size;
}

bool isWork(reports::Activity activity) {
  return activity == reports::Activity::Compute || activity == reports::Activity::OnTileCopy ||
         activity == reports::Activity::InternalExchange || activity == reports::Activity::GlobalExchange;
}

// Cycles in which a transfer with the host runs and no tile of any IPU works. Nothing if the trace lacks executions or is too
// long to be read at once.
std::optional<Cycles> cyclesForTheHostAlone(const Facts& facts) {
  trace::ExecutionTrace trace(facts.session);
  int64_t slices = 0;
  for (const trace::Track& track : trace.tracks()) slices += track.slices;
  if (slices == 0 || slices > kMostSlices || !trace::storesAllExecutions(facts.session, facts.stop)) return {};
  Ranges host, work;
  for (const trace::Track& track : trace.tracks())
    for (int depth = 0; depth < track.depths; ++depth)
      trace.slices().forEach(track.id, depth, trace.range(), facts.stop, [&](const trace::Slice& slice) {
        const auto activity = static_cast<reports::Activity>(slice.category);
        if (activity != reports::Activity::HostStream && !isWork(activity)) return;
        Ranges& of = isWork(activity) ? work : host;
        if (!of.empty() && of.back().end == slice.ticks.begin)
          of.back().end = slice.ticks.end;
        else
          of.push_back(slice.ticks);
      });
  unite(host), unite(work);
  return Cycles(sizeWithout(host, work));
}

// Cycles of transfers by IPU, most first.
std::vector<std::pair<int64_t, Cycles>> transfersByIpu(const Facts& facts) {
  std::map<int64_t, Cycles> byIpu;
  for (const StepFact& step : facts.steps)
    if (step.activity == reports::Activity::HostStream)
      for (const auto& [ipu, cycles] : step.cost.onIpus) byIpu[ipu] += Cycles(cycles);
  std::vector<std::pair<int64_t, Cycles>> sorted(byIpu.begin(), byIpu.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

bool countsHostCalls(const Facts& facts) {
  return facts.session.reader().first<reports::EngineOptionRow>("key = 'tilescope.hostCalls' AND value = 'true'").has_value();
}

void addAdvice(const Facts& facts, Insight& i) {
  const bool offloads = !facts.session.metadata("offload").empty();
  if (offloads) {
    i.advice.push_back("State or weights are kept off the chip ({option offload}) and moved with every update: keep as much as "
                       "fits on the chip.");
    i.advice.push_back("Update less often: more micro-batches between two updates ({option accumulation}).");
    if (facts.mayShardState()) i.advice.push_back("Share the state among replicas ({option shard-state}): each moves its part.");
  }
  if (facts.machine.ioTiles == 0 && facts.isModel())
    i.advice.push_back("Let I/O tiles transfer while the other tiles work ({option io-tiles} 32 with {option overlap-io}).");
  else if (facts.machine.ioTiles == 0)
    i.advice.push_back("Do more work between two transfers, or overlap them with compute on I/O tiles.");
  else
    i.advice.push_back("Give the transfers more I/O tiles ({option io-tiles} " + std::to_string(2 * facts.machine.ioTiles) +
                       "): each moves its own part.");
  if (offloads && facts.isModel()) i.trials.push_back(trials::keepOnChip());
  i.advice.push_back("Send less: half precision, or only the values the host reads.");
  if (!facts.isModel()) return;
  if (facts.machine.ioTiles == 0 && !offloads) i.trials.push_back(trials::ioTiles());
  // The host's calls take time at the start of a run only if the report counts them.
  if (!countsHostCalls(facts)) return;
  i.advice.push_back("Do more batches per run ({option batches-per-step}), so that the host is called less often.");
  i.trials.push_back(trials::moreBatchesARun());
}

} // namespace

void findHostWaits(const Facts& facts, Findings& found) {
  const auto byIpu = transfersByIpu(facts);
  Cycles ofAll, most = facts.hostCycles;
  for (const auto& [ipu, cycles] : byIpu) ofAll += cycles, most = std::max(most, cycles);
  if (facts.shareOfRun(std::max(ofAll, most)) < kHostShare) return;
  const auto alone = cyclesForTheHostAlone(facts);
  const Cycles waits = std::min(alone.value_or(most), facts.runCycles);
  if (facts.shareOfRun(waits) < kHostShare) return;
  const StepFact* longest = nullptr;
  Cycles all;
  for (const StepFact& step : facts.steps) {
    if (step.activity != reports::Activity::HostStream || step.cycles == Cycles()) continue;
    all += step.cycles;
    if (!longest || step.cycles > longest->cycles) longest = &step;
  }
  constexpr double kMostly = 0.9; // share of all transfers; a transfer with at least this share is named in the finding
  const bool isOne = longest && ratio(longest->cycles, all) >= kMostly;
  Insight i;
  i.cycles = waits, i.share = facts.shareOfRun(waits), i.confidence = Confidence::Medium;
  // stable, because comparisons pair findings by it
  i.where = !longest ? std::string() : isOne ? facts.session.text(longest->name) : "all transfers";
  i.evidence = {.view = "trace", .words = "the longest transfer in Trace"};
  if (longest) i.evidence.step = longest->id;
  if (byIpu.size() > 1) {
    const std::string longestOf = "IPU " + std::to_string(byIpu.front().first);
    if (alone)
      i.what << "No tile works for " << waits << ", " << Sentence::Percent{i.share}
             << " of the run, while IPUs exchange data with the host; " + longestOf + " transfers longest.";
    else
      i.what << longestOf + " exchanges data with the host for " << waits << ", " << Sentence::Percent{i.share}
             << " of the run, longer than other IPUs.";
    for (std::size_t k = 0; k < std::min(kMostIpus, byIpu.size()); ++k)
      i.parts.push_back({"Transfers of IPU " + std::to_string(byIpu[k].first), byIpu[k].second});
  } else {
    i.what << "Tiles wait " << waits << " for the host, " << Sentence::Percent{i.share} << " of the run";
    if (longest && !isOne)
      i.what << "; the longest transfer, " << Sentence::Name{facts.session.text(longest->name)} << ", takes " << longest->cycles;
    i.what << ".";
  }
  addAdvice(facts, i);
  found.push_back(std::move(i));
}

} // namespace analyser::insights
