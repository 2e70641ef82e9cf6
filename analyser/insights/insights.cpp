#include "analyser/insights/insights.h"

#include "analyser/insights/rules.h"

#include <algorithm>
#include <array>

namespace analyser::insights {

// Each rule appends its findings. The table gives a finding its rule id and, unless the rule set a narrower one, its title.
using FindRule = void(const Facts&, Findings&);
FindRule findOutOfMemory, findFullestTiles, findExchangeCode, findReplicatedConstants, findGaps, findPeakOwners,
    findCodeHeavyTiles, findUnusedTiles, findImbalance, findSpreadUnused, findSpreadImbalance, findSpreadExchange, findSyncWaits,
    findExchangeHotSpots, findCopiesBetweenIpus, findSmallMessages, findLowAmpUse, findSerialTails, findHostWaits, findIdleIpus,
    findPipelineBubble, findNotFinite, findTileCopies;

namespace {

struct Rule {
  RuleText text;
  FindRule* find;
};

constexpr std::array kRules = {
    Rule{{"memory.out-of-memory", "Does not fit", "tiles that need more memory than they have"}, findOutOfMemory},
    Rule{{"numbers.not-finite", "Outputs that are not finite", "outputs with values that are NaN or infinite"}, findNotFinite},
    Rule{{"memory.fullest-tiles", "Fullest tiles", "tiles much fuller than the median, and by which category"}, findFullestTiles},
    Rule{{"memory.exchange-code", "Exchange code", "code of internal exchanges, by step"}, findExchangeCode},
    Rule{{"memory.replicated-constants", "Replicated constants", "constants that the graph adds several times"},
         findReplicatedConstants},
    Rule{{"memory.gaps", "Gaps between variables", "memory lost between variables on a tile that is nearly full"}, findGaps},
    Rule{{"memory.peak-owners", "Owner of the peak", "one variable that makes the liveness peak"}, findPeakOwners},
    Rule{{"memory.code-heavy-tiles", "Tiles full of code", "tiles with more code than data"}, findCodeHeavyTiles},
    Rule{{"time.unused-tiles", "Unused tiles", "operations that compute on few tiles"}, findUnusedTiles},
    Rule{{"time.imbalance", "Imbalance", "operations whose tiles wait for the slowest"}, findImbalance},
    Rule{{"time.spread-unused", "Unused tiles", "operations on few tiles, each too small to be named alone"}, findSpreadUnused},
    Rule{{"time.spread-imbalance", "Imbalance", "waits for the slowest tile, each too short to be named alone"},
         findSpreadImbalance},
    Rule{{"time.spread-exchange", "Exchange", "exchange of operations, each too short to be named alone"}, findSpreadExchange},
    Rule{{"time.sync-waits", "Waiting for syncs", "a run that spends its time at barriers"}, findSyncWaits},
    Rule{{"time.exchange-hot-spot", "Exchange hot spot", "an exchange that one tile holds up"}, findExchangeHotSpots},
    Rule{{"time.copies-between-ipus", "Copies between IPUs", "copies over links that the other IPUs wait for"},
         findCopiesBetweenIpus},
    Rule{{"time.tile-copies", "Copies within tiles", "a run that spends its time on rearranging data"}, findTileCopies},
    Rule{{"time.small-messages", "Small messages", "exchanges with a few bytes per message"}, findSmallMessages},
    Rule{{"time.low-amp-use", "Low use of the matrix units", "planned products far from the peak"}, findLowAmpUse},
    Rule{{"time.serial-tail", "Serial tail", "a few tiles that still work after all others have finished"}, findSerialTails},
    Rule{{"time.host-waits", "Waiting for the host", "transfers that the tiles wait for"}, findHostWaits},
    Rule{{"time.idle-ipus", "Idle IPUs", "IPUs of the machine that do nothing in the whole run"}, findIdleIpus},
    Rule{{"time.pipeline-bubble", "Pipeline bubble", "stages that wait for each other, and the slowest"}, findPipelineBubble},
};

// The weight of a saved share of the memory relative to the same share of the run. Unused memory does not make a program faster,
// so the weight is 1/20 while the fullest tile is at most half full, and rises to 1 on a full tile.
double worthOfMemory(const Facts& facts) {
  if (facts.outOfMemory || facts.runCycles == Cycles() || facts.memory.capacity <= Bytes()) return 1;
  constexpr double kLeast = 0.05, kFree = 0.5;
  return std::clamp((ratio(facts.memory.total.max, facts.memory.capacity) - kFree) / (1 - kFree), kLeast, 1.0);
}

// If the program does not fit, speed does not matter: memory comes first. Then the largest saving.
bool before(const Insight& a, const Insight& b, bool outOfMemory, double worthOfMemory) {
  constexpr std::string_view kFirst = kRules.front().text.id; // first, because other findings matter only if the program fits
  if ((a.rule == kFirst) != (b.rule == kFirst)) return a.rule == kFirst;
  constexpr std::string_view kSecond = kRules[1].text.id; // second, because other findings matter only if values are finite
  if ((a.rule == kSecond) != (b.rule == kSecond)) return a.rule == kSecond;
  if (outOfMemory && a.savesMemory() != b.savesMemory()) return a.savesMemory();
  const auto worth = [&](const Insight& i) { return i.savesMemory() ? i.share * worthOfMemory : i.share; };
  return worth(a) > worth(b);
}

Sentence verdictOf(const Facts& facts, const std::vector<Insight>& list) {
  Sentence words;
  if (list.empty())
    return facts.steps.empty() && facts.memory.total.max == Bytes()
               ? words << "This report holds no memory and no execution to judge."
               : words << "No rule found anything worth changing.";
  const Insight *memory = nullptr, *time = nullptr;
  for (const Insight& i : list) {
    if (i.savesMemory() ? !memory : !time) (i.savesMemory() ? memory : time) = &i;
  }
  const bool isTooLarge = memory && memory->lacks; // then the verdict begins with it
  if (isTooLarge) words << "Does not fit: " + memory->where + " lacks " << memory->bytes << "; ";
  words << int64_t(list.size()) << (list.size() == 1 ? " finding" : " findings");
  if (time)
    words << "; most cycles: " + time->title + " in " << Sentence::Name{time->where} << ", up to "
          << Sentence::Percent{time->share} << " of the run";
  if (memory && !isTooLarge)
    words << "; most memory: " + memory->title + ", up to " << memory->bytes << (memory->onOneTile ? " on one tile" : "");
  return words << ".";
}

} // namespace

std::string_view confidenceName(Confidence confidence) {
  switch (confidence) {
  case Confidence::High: return "high";
  case Confidence::Medium: return "medium";
  case Confidence::Low: return "low";
  }
  return "low";
}

std::span<const RuleText> ruleTexts() {
  static const auto texts = [] {
    std::array<RuleText, kRules.size()> list;
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = kRules[i].text;
    return list;
  }();
  return texts;
}

Insights insights(Session& session, std::stop_token stop) {
  Insights all;
  const Facts facts = gatherFacts(session, stop);
  for (const Rule& rule : kRules) {
    reports::throwIfStopped(stop);
    const std::size_t first = all.list.size();
    rule.find(facts, all.list);
    for (Insight& found : std::span(all.list).subspan(first)) {
      found.rule = rule.text.id;
      if (found.title.empty()) found.title = rule.text.title;
    }
  }
  if (trials::isOfProgram(facts.session))
    for (Insight& insight : all.list) insight.trials.clear();
  std::stable_sort(all.list.begin(), all.list.end(), [&, worth = worthOfMemory(facts)](const Insight& a, const Insight& b) {
    return before(a, b, facts.outOfMemory, worth);
  });
  all.verdict = verdictOf(facts, all.list);
  return all;
}

} // namespace analyser::insights
