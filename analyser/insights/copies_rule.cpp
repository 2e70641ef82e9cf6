// Copies within tiles: they rearrange operands for the vertices that read them, and compute nothing.
#include "analyser/insights/rules.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace analyser::insights {

namespace {
constexpr double kCopyShare = 0.05; // share of the run; matching layouts rarely need more
constexpr std::size_t kMostCopied = 5;

// The step's cycles on this IPU.
Cycles cyclesOn(const StepFact& step, int64_t ipu) {
  for (const auto& [on, cycles] : step.cost.onIpus)
    if (on == ipu) return Cycles(cycles);
  return step.cost.onIpus.empty() ? step.cycles : Cycles();
}

bool isCopy(const StepFact& step) { return step.activity == reports::Activity::OnTileCopy && step.cycles > Cycles(); }
} // namespace

void findTileCopies(const Facts& facts, Findings& found) {
  // IPUs copy at the same time: the one that copies longest counts.
  std::map<int64_t, Cycles> byIpu;
  for (const StepFact& step : facts.steps)
    for (const auto& [ipu, cycles] : step.cost.onIpus)
      if (isCopy(step)) byIpu[ipu] += Cycles(cycles);
  const auto most =
      std::max_element(byIpu.begin(), byIpu.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const int64_t ipu = most == byIpu.end() ? 0 : most->first;
  Cycles all, ofLongest;
  std::map<std::string, Cycles> places;
  const StepFact* longest = nullptr;
  for (const StepFact& step : facts.steps) {
    const Cycles cycles = isCopy(step) ? cyclesOn(step, ipu) : Cycles();
    if (cycles <= Cycles()) continue;
    all += cycles, places[facts.placeOf(step)] += cycles;
    if (cycles > ofLongest) longest = &step, ofLongest = cycles;
  }
  if (!longest || facts.shareOfRun(all) < kCopyShare) return;
  std::vector<std::pair<std::string, Cycles>> sorted(places.begin(), places.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Insight i;
  i.where = "all copies within tiles"; // a stable location: comparisons pair findings by it
  i.cycles = all, i.share = facts.shareOfRun(all), i.confidence = Confidence::Medium;
  i.what << (facts.machine.ipus > 1 ? "Tiles of IPU " + std::to_string(ipu) + " rearrange" : "Tiles rearrange")
         << " their own data for " << all << ", " << Sentence::Percent{i.share} << " of the run; most for "
         << Sentence::Name{sorted.front().first} << ": " << sorted.front().second << ".";
  for (std::size_t p = 0; p < std::min(kMostCopied, sorted.size()); ++p) i.parts.push_back({sorted[p].first, sorted[p].second});
  i.evidence = {.view = "program", .step = longest->id, .words = "the longest copy in Program"};
  i.advice = {"Create an operand in the layout that its consumer plans (createMatMulInputRHS, createWeights).",
              "If the vertices can read the view itself (slice, dimShuffle, concat), connect it instead of a copy.",
              "Keep data contiguous: long stretches move many bytes per cycle, transposed data moves element by element."};
  found.push_back(std::move(i));
}

} // namespace analyser::insights
