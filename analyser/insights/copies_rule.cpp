// Copies within tiles: they rearrange operands for the vertices that read them, and compute nothing.
#include "analyser/insights/rules.h"

#include <algorithm>
#include <map>

namespace analyser::insights {

namespace {
constexpr double kCopyShare = 0.05; // of the run: what layouts that fit each other hardly exceed
constexpr std::size_t kMostCopied = 5;
} // namespace

void findTileCopies(const Facts& facts, Findings& found) {
  Cycles all;
  std::map<std::string, Cycles> places;
  const StepFact* longest = nullptr;
  for (const StepFact& step : facts.steps) {
    if (step.activity != reports::Activity::OnTileCopy || step.cycles <= Cycles()) continue;
    all += step.cycles, places[facts.placeOf(step)] += step.cycles;
    if (!longest || step.cycles > longest->cycles) longest = &step;
  }
  if (!longest || facts.shareOfRun(all) < kCopyShare) return;
  std::vector<std::pair<std::string, Cycles>> most(places.begin(), places.end());
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Insight i;
  i.where = "all copies within tiles"; // a stable location: comparisons pair findings by it
  i.cycles = all, i.share = facts.shareOfRun(all), i.confidence = Confidence::Medium;
  i.what << "Tiles rearrange their own data for " << all << ", " << Sentence::Percent{i.share} << " of the run; most for "
         << Sentence::Name{most.front().first} << ": " << most.front().second << ".";
  for (std::size_t p = 0; p < std::min(kMostCopied, most.size()); ++p) i.parts.push_back({most[p].first, most[p].second});
  i.evidence = {.view = "program", .step = longest->id, .words = "the longest copy in Program"};
  i.advice = {
      "Give an operand the layout that its consumer plans for when it is made (createMatMulInputRHS, createWeights).",
      "Connect the view itself (slice, dimShuffle, concat) to the vertices where they can read it, instead of a copy of it.",
      "Keep what stays contiguous together: long stretches move many bytes a cycle, transposed data element by element."};
  found.push_back(std::move(i));
}

} // namespace analyser::insights
