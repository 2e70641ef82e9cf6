// Waste of many operations: each loses too little, or too small a part of its work, to be named alone.
#include "analyser/insights/rules.h"

#include "analyser/session/format.h"
#include "analyser/session/metadata_count.h"

#include <map>

namespace analyser::insights {

namespace {

using trace::TileTime;

constexpr double kWorthSpread = 0.03; // share of the run
constexpr std::size_t kMostKinds = 5;

struct Kind {
  int64_t operations = 0, wasted = 0;
};
struct Spread {
  std::map<std::string, Kind> kinds; // of operations
  int64_t most = 0;                  // tile-cycles of the operation that wastes most
  std::size_t worst = 0;             // its row
};

// Copies between IPUs have a separate rule.
int64_t wasteOf(const operations::Operation& o, TileTime time) {
  return o.tileCycles[time] - (time == TileTime::Exchange ? o.betweenIpus : 0);
}

// The waste of all operations except those named in a finding of the rule `single`.
Spread spreadWaste(const Facts& facts, TileTime time, std::string_view single, const Findings& found) {
  Spread all;
  for (const operations::Alike& group : facts.alike) {
    const auto names = [&](const Insight& i) { return i.rule == single && i.where == group.totals.name; };
    if (std::any_of(found.begin(), found.end(), names)) continue;
    for (const std::size_t row : group.members) {
      const operations::Operation& o = facts.operations.rows[row];
      const int64_t wasted = wasteOf(o, time);
      if (wasted <= 0) continue;
      if (wasted > all.most) all.most = wasted, all.worst = row;
      Kind& kind = all.kinds[o.kind.empty() ? "other" : o.kind];
      ++kind.operations, kind.wasted += wasted;
    }
  }
  return all;
}

// Twice the sample's batch; none if the report does not name a batch, or if it would not fit the fullest tile.
std::optional<Trial> largerBatch(const Facts& facts) {
  const int64_t batch = metadataCount(facts.session, "parameter.batch").value_or(0);
  if (batch < 1 || batch > 1 << 20 || facts.outOfMemory) return {};
  // Activations grow with the batch, so a tile that is more than four fifths full cannot hold twice as many.
  if (facts.memory.total.max * 5 > facts.memory.capacity * 4) return {};
  return trials::batchOf(2 * batch).because("Twice the samples at once; compare the figures per sample.");
}

struct Words {
  TileTime time;
  const char* single; // id of the rule for single operations; empty if there is none
  const char* lostTo; // "exchange": completes "operations lose 27 % of the run to"
  std::vector<std::string> advice;
  std::optional<Trial> trial;
};

void findOne(const Facts& facts, const Words& words, Findings& found) {
  const Spread spread = spreadWaste(facts, words.time, words.single, found);
  Kind all;
  std::vector<std::pair<std::string, Kind>> ranked(spread.kinds.begin(), spread.kinds.end());
  for (const auto& [name, kind] : ranked) all.operations += kind.operations, all.wasted += kind.wasted;
  const Cycles cycles = facts.asCycles(all.wasted);
  if (all.operations < 2 || facts.shareOfRun(cycles) < kWorthSpread) return;
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second.wasted > b.second.wasted; });
  const auto shareOf = [&](int64_t tileCycles) { return Sentence::Percent{facts.shareOfRun(facts.asCycles(tileCycles))}; };
  const operations::Operation& worst = facts.operations.rows[spread.worst];
  Insight i;
  i.where = "many operations"; // a stable location: comparisons pair findings by it
  i.cycles = cycles, i.share = facts.shareOfRun(cycles), i.confidence = Confidence::Low;
  i.evidence = inOperations(worst);
  i.evidence.words = "the worst of them in Operations";
  i.what << all.operations << " operations lose " << shareOf(all.wasted) << std::string(" of the run to ") + words.lostTo
         << ", most of it in " << ranked.front().second.operations << " of kind " << Sentence::Name{ranked.front().first}
         << "; the worst of them loses " << shareOf(spread.most) << ": " << Sentence::Name{worst.name} << ".";
  for (const auto& [name, kind] : ranked) {
    if (i.parts.size() == kMostKinds) break;
    i.parts.push_back({formatCount(kind.operations) + " " + name, shareOf(kind.wasted)});
    all.wasted -= kind.wasted, all.operations -= kind.operations;
  }
  if (all.wasted > 0) i.parts.push_back({formatCount(all.operations) + " others", shareOf(all.wasted)});
  i.advice = words.advice;
  if (facts.isModel()) {
    if (auto batch = largerBatch(facts)) i.trials.push_back(std::move(*batch));
    if (words.trial) i.trials.push_back(*words.trial);
  }
  found.push_back(std::move(i));
}

} // namespace

void findSpreadUnused(const Facts& facts, Findings& found) {
  findOne(facts,
          {TileTime::Unused,
           "time.unused-tiles",
           "tiles without work",
           {"Give each operation more to do: a larger micro-batch fills tiles that small operations leave idle.",
            "Merge operations that follow each other, so that fewer steps have too little work for the machine.",
            "Use fewer IPUs or tiles for it, and replicas for the rest."},
           trials::spreadWider()},
          found);
}

void findSpreadImbalance(const Facts& facts, Findings& found) {
  findOne(facts,
          {TileTime::Imbalance,
           "time.imbalance",
           "tiles that wait for the slowest",
           {"Choose sizes that are multiples of the number of tiles: a remainder costs a whole round on a few tiles.",
            "Use a larger micro-batch: a remainder is a smaller share of more work."},
           trials::lessRoom().because("Products and convolutions are cut in another way.")},
          found);
}

void findSpreadExchange(const Facts& facts, Findings& found) {
  findOne(facts,
          {TileTime::Exchange,
           "",
           "exchange",
           {"Let an operation read its operand on the tiles that the previous operation wrote it on: then nothing moves.",
            "Use a larger micro-batch: weights that are sent to the tiles serve more samples.",
            "Merge copies that follow each other: every exchange has a cost before its first byte."},
           facts.fp16 ? std::optional<Trial>() : trials::halfPrecision().because("Half as many bytes are exchanged.")},
          found);
}

} // namespace analyser::insights
