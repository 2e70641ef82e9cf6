// Rules over cycles. Waste is counted in tile-cycles and shown as cycles of the run: the time saved if all tiles of the machine
// shared the work.
#include "analyser/insights/rules.h"

#include "analyser/session/debug_contexts.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_set>

namespace analyser::insights {

namespace {

using trace::TileTime;

constexpr double kWorthInAnyCase = 0.03;         // share of the run; above, waste counts even if it is small for its operation
constexpr double kUnusedShare = 0.5;             // share of the operation's compute
constexpr double kImbalanceShare = 0.3;          // share of the operation's compute
constexpr double kSyncShare = 0.10;              // share of the run
constexpr double kLowUse = 0.25, kGoodUse = 0.5; // shares of the peak; planned products of good shapes reach half of it and more
constexpr double kTail = 2.0;                    // slowest tile / 95th percentile
constexpr std::size_t kMostOfARule = 3;          // findings per rule: Operations lists the rest

// The kinds of tile-cycles of an operation, each as a share of all its tile-cycles.
std::vector<Part> partsOf(const trace::TileCycles& cost) {
  std::vector<Part> parts;
  for (int k = 0; k < trace::kTileTimes; ++k)
    if (cost.parts[std::size_t(k)] > 0)
      parts.push_back({std::string(trace::tileTimeTitle(TileTime(k))), Sentence::Percent{cost.share(TileTime(k))}});
  return parts;
}

int64_t computeOf(const trace::TileCycles& c) { return c[TileTime::Busy] + c[TileTime::Unused] + c[TileTime::Imbalance]; }

// The operations that waste most by one kind, if it is a large part of their compute or of the run.
void findWaste(const Facts& facts, TileTime kind, double least, Findings& found,
               const std::function<void(const operations::Alike&, Insight&)>& describe) {
  std::vector<const operations::Alike*> worst;
  for (const operations::Alike& o : facts.alike) {
    const int64_t compute = computeOf(o.totals.tileCycles), wasted = o.totals.tileCycles[kind];
    const double ofRun = facts.shareOfRun(facts.asCycles(wasted));
    const bool isLarge = double(wasted) >= least * double(compute) || ofRun >= kWorthInAnyCase;
    if (compute > 0 && isLarge && ofRun >= kWorthRun) worst.push_back(&o);
  }
  std::stable_sort(worst.begin(), worst.end(),
                   [&](const auto* a, const auto* b) { return a->totals.tileCycles[kind] > b->totals.tileCycles[kind]; });
  if (worst.size() > kMostOfARule) worst.resize(kMostOfARule);
  for (const operations::Alike* group : worst) {
    const operations::Operation* o = &group->totals;
    Insight i;
    i.where = o->name;
    i.cycles = facts.asCycles(o->tileCycles[kind]);
    i.share = facts.shareOfRun(i.cycles);
    i.confidence = Confidence::Medium;
    i.evidence = inOperations(*o);
    if (o->id.valid()) i.evidence.tab = "waste";
    i.parts = partsOf(o->tileCycles);
    describe(*group, i);
    found.push_back(std::move(i));
  }
}

// Cycles of the tiles that compute in one execution of a step, ascending.
std::vector<int64_t> activeCyclesOf(const Facts& facts, const StepFact& step) {
  std::vector<int64_t> cycles;
  const auto row = facts.session.reader().first<reports::StepProfileRow>("program_step_id = ? ORDER BY executions DESC, id",
                                                                         {int64_t(step.id.value())});
  if (!row) return cycles;
  const reports::AmountRuns stored(row->cyclesByTile, std::size_t(row->tiles), "step_profile.cycles_by_tile");
  for (const reports::ValueRun& run : stored.runs())
    if (run.value > 0) cycles.insert(cycles.end(), run.end - run.begin, run.value);
  std::sort(cycles.begin(), cycles.end());
  return cycles;
}

} // namespace

Evidence inOperations(const operations::Operation& o) {
  if (!o.id.valid()) return {.view = "program", .step = o.costliestStep, .words = "its costliest step in Program"};
  return {.view = "operations", .step = o.costliestStep, .operation = o.id, .words = "the operation in Operations"};
}

void findUnusedTiles(const Facts& facts, Findings& found) {
  findWaste(facts, TileTime::Unused, kUnusedShare, found, [&](const operations::Alike& group, Insight& i) {
    const operations::Operation& o = group.totals;
    // Share of the tiles that work, weighted by cycles: the largest step may use nearly all tiles for a short time only.
    const double used = 1 - double(o.tileCycles[TileTime::Unused]) / double(computeOf(o.tileCycles));
    const auto mean = std::clamp<int64_t>(std::llround(used * double(o.tilesAvailable)), 1, std::max<int64_t>(1, o.tiles));
    i.what.append(group.name()) << (group.members.size() > 1 ? " compute on " : " computes on ") << mean << " of "
                                << o.tilesAvailable << " tiles";
    if (o.tiles > mean) i.what << " in the mean (at most " << o.tiles << ")";
    i.what << "; the others wait for " << o.compute << ".";
    i.advice = {"Map its data over more tiles (mapTensorLinearly, or the layout its planner asks for).",
                "Split the reduction or the rows further, or do it for the whole batch at once.",
                "Merge it with a neighbour: small operations side by side share a superstep."};
    if (facts.isModel()) i.trials.push_back(trials::spreadWider());
  });
}

void findImbalance(const Facts& facts, Findings& found) {
  findWaste(facts, TileTime::Imbalance, kImbalanceShare, found, [&](const operations::Alike& group, Insight& i) {
    const operations::Operation& o = group.totals;
    (i.what << "In ").append(group.name()) << " tiles wait for the slowest: " << Sentence::Percent{o.balance.value_or(0)}
                                           << " balance over the tiles it uses, " << o.compute << " of compute.";
    i.advice = {"Give every tile the same number of elements, in multiples of the block that its vertex handles.",
                "Split the largest vertices; a superstep is as long as its slowest tile.",
                "Choose sizes that are multiples of the number of tiles: with 1,500 rows on 1,472 tiles, most tiles have half "
                "the work of the slowest."};
  });
}

void findSyncWaits(const Facts& facts, Findings& found) {
  if (facts.shareOfRun(facts.syncCycles) < kSyncShare) return;
  int64_t syncs = 0;
  const StepFact* longest = nullptr;
  for (const StepFact& step : facts.steps) {
    if (step.activity != reports::Activity::Sync) continue;
    ++syncs;
    if (!longest || step.cycles > longest->cycles) longest = &step;
  }
  Insight i;
  i.cycles = facts.syncCycles / 2, i.share = facts.shareOfRun(i.cycles), i.confidence = Confidence::Low;
  i.where = "all syncs"; // a stable location: comparisons pair findings by it
  i.evidence = {.view = "trace", .words = "the longest sync in Trace"};
  if (longest) i.evidence.step = longest->id;
  i.what << "Syncs take " << facts.syncCycles << ", " << Sentence::Percent{facts.shareOfRun(facts.syncCycles)}
         << " of the run, in " << syncs << " steps: supersteps are short compared with the cost of a barrier.";
  i.parts = {{"Sync", facts.syncCycles}, {"Compute", facts.computeCycles}, {"Exchange", facts.exchangeCycles}};
  i.advice = {"Do more between two barriers: fuse element-wise operations, batch small products, use larger batches.",
              "Merge copies that follow each other, so that they share an exchange."};
  found.push_back(std::move(i));
}

namespace {
// Look-ups and scatters have plans, too, but they are not products.
bool isProduct(const std::string& method) {
  for (const char* word : {"AMP", "SLIC", "HMAC", "VMAC", "outer"})
    if (method.find(word) != std::string::npos) return true;
  return false;
}

// By index of Operations::rows: cycles of the steps that multiply. Preparing operands and adding up partial sums do not use the
// matrix units.
std::vector<Cycles> productCycles(const Facts& facts) {
  std::unordered_set<int64_t> products; // program steps
  reports::Statement statement(facts.session.reader().connection(),
                               "SELECT DISTINCT p.id FROM program_step p JOIN compute_set_vertices v USING (compute_set_id) "
                               "JOIN vertex_type t ON t.id = v.vertex_type_id JOIN string s ON s.id = t.name_id "
                               "WHERE s.text LIKE '%ConvPartial%' OR s.text LIKE '%OuterProduct%' OR s.text LIKE '%MatMul%'");
  while (statement.step()) {
    int64_t step = 0;
    statement.read(0, step, "program_step.id");
    products.insert(step);
    reports::throwIfStopped(facts.stop);
  }
  std::vector<Cycles> cycles(facts.operations.rows.size());
  for (const StepFact& step : facts.steps)
    if (step.operation >= 0 && products.contains(int64_t(step.id.value()))) cycles[std::size_t(step.operation)] += step.cycles;
  return cycles;
}
} // namespace

// Finds products and convolutions that make little use of the accumulating matrix product units (AMP). An operation counts if it
// has the plan of a product (isProduct).
void findLowAmpUse(const Facts& facts, Findings& found) {
  const OperationNames contexts(facts.session, facts.stop);
  std::unordered_map<int64_t, std::string> methods; // by the operation's context
  facts.session.reader().forEach<reports::PlanRow>({}, {}, [&](const reports::PlanRow& row) {
    if (const auto context = contexts.contextOf(row.debugContextId); context && isProduct(row.method))
      methods.emplace(*context, row.method);
  });
  struct Low {
    const operations::Alike* group;
    double use;
    Cycles multiplying, saved;
    std::string method;
  };
  std::vector<Low> low;
  const std::vector<Cycles> products = productCycles(facts);
  // Some products of an fp8 program stay in fp16 on purpose: half of the peak is not a finding.
  const std::string precision = facts.session.metadata("precision");
  const double peakOfIpu = facts.machine.peakFlopsPerSecond(precision == "fp8" ? "fp16" : precision);
  for (const operations::Alike& group : facts.alike) {
    const operations::Operation& o = group.totals;
    auto method = methods.end(); // only one member of the group has the plan
    for (auto m = group.members.begin(); m != group.members.end() && method == methods.end(); ++m)
      method = methods.find(int64_t(facts.operations.rows[*m].debugContext.value()));
    Cycles multiplying;
    for (const std::size_t member : group.members) multiplying += products[member];
    if (multiplying == Cycles() || multiplying > o.compute) multiplying = o.compute; // vertices of another tool have other names
    const double seconds = facts.machine.seconds(multiplying),
                 ipus = double(o.tilesAvailable) / std::max(1, facts.machine.tilesPerIpu);
    if (method == methods.end() || o.flops.value() <= 0 || seconds <= 0 || ipus <= 0 || peakOfIpu <= 0) continue;
    const double use = double(o.flops.value()) / (peakOfIpu * ipus * seconds);
    // Scaled by the operation's share of the IPUs: a saving on one of several IPUs is a smaller saving of the run.
    const Cycles saved(
        int64_t(double(multiplying.value()) * (1 - std::min(1.0, use / kGoodUse)) * ipus / std::max(1, facts.machine.ipus)));
    if (use < kLowUse && facts.shareOfRun(saved) >= kWorthRun) low.push_back({&group, use, multiplying, saved, method->second});
  }
  std::stable_sort(low.begin(), low.end(), [](const Low& a, const Low& b) { return a.saved > b.saved; });
  if (low.size() > kMostOfARule) low.resize(kMostOfARule);
  for (const Low& l : low) {
    const operations::Operation& o = l.group->totals;
    Insight i;
    i.where = o.name;
    i.cycles = l.saved, i.share = facts.shareOfRun(l.saved), i.confidence = Confidence::Low;
    i.evidence = inOperations(o);
    i.what.append(l.group->name()) << (l.group->members.size() > 1 ? " reach " : " reaches ") << Sentence::Percent{l.use}
                                   << " of the peak while multiplying (plan: " + l.method + ").";
    i.parts = {{"Compute", o.compute}, {"Multiplying", l.multiplying}, {"Share of the peak", Sentence::Percent{l.use}}};
    i.advice = {"Make its sizes multiples of the unit's block (16 input and output channels in fp16, 32 input "
                "channels in fp8).",
                "Use a larger batch: small products leave the units waiting for their weights."};
    if (!facts.fp16) i.advice.push_back("Use fp16: the units do four times the work per cycle.");
    if (!facts.fp16) i.trials.push_back(trials::halfPrecision().because("The units do more work per cycle in fp16."));
    found.push_back(std::move(i));
  }
}

// Finds steps in which a few tiles still work long after the others have finished.
void findSerialTails(const Facts& facts, Findings& found) {
  struct Tail {
    const StepFact* step;
    Cycles saved;
    int64_t slowest, usual, late;
  };
  std::vector<Tail> tails;
  for (const StepFact& step : facts.steps) {
    const auto& cost = step.cost.cost;
    if (step.activity != reports::Activity::Compute || facts.shareOfRun(step.cycles) < kWorthRun) continue;
    if (double(cost[TileTime::Imbalance]) < kImbalanceShare * double(computeOf(cost) - cost[TileTime::Unused])) continue;
    const auto cycles = activeCyclesOf(facts, step);
    if (cycles.size() < 4) continue;
    const int64_t slowest = cycles.back(), usual = cycles[std::min(cycles.size() - 2, cycles.size() * 95 / 100)];
    if (double(slowest) < kTail * double(usual)) continue;
    const int64_t late = cycles.end() - std::upper_bound(cycles.begin(), cycles.end(), usual);
    const Cycles saved(int64_t(double(step.cycles.value()) * (1 - double(usual) / double(slowest))));
    if (facts.shareOfRun(saved) >= kWorthRun) tails.push_back({&step, saved, slowest, usual, late});
  }
  std::stable_sort(tails.begin(), tails.end(), [](const Tail& a, const Tail& b) { return a.saved > b.saved; });
  if (tails.size() > kMostOfARule) tails.resize(kMostOfARule);
  for (const Tail& t : tails) {
    Insight i;
    i.where = facts.placeOf(*t.step);
    i.cycles = t.saved, i.share = facts.shareOfRun(t.saved), i.confidence = Confidence::Medium;
    i.evidence = {.view = "trace", .step = t.step->id, .words = "the step in Trace"};
    i.what << "In " << Sentence::Name{facts.session.text(t.step->name)} << " " << t.late
           << (t.late == 1 ? " tile works " : " tiles work ") << Cycles(t.slowest) << " while 95 % of the tiles need at most "
           << Cycles(t.usual) << ".";
    i.advice = {"Split the vertices of these tiles, or move part of their work to other tiles.",
                "Check whether one vertex gathers the results of all others: reduce in two stages."};
    found.push_back(std::move(i));
  }
}

} // namespace analyser::insights
