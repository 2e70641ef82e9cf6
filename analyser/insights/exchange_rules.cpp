// Rules over exchanges: one tile that many tiles send to, messages too short for their overhead, and copies between IPUs.
#include "analyser/insights/rules.h"
#include "analyser/trace/saturating.h"

#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

namespace analyser::insights {

namespace {

constexpr double kWorthExchange = 0.005; // share of the run
constexpr double kHot = 4.0;             // the busiest tile's bytes / mean of the participating tiles
constexpr double kShortMessage = 32;     // a message is short below this mean size in bytes; a header costs as much as 4 bytes
constexpr int64_t kManyMessages = 1000;  // of one exchange
constexpr std::size_t kMostExchanges = 3, kMostListed = 6;
constexpr double kWorthLinks = 0.02;   // share of the run that one operation's copies between IPUs take
constexpr std::size_t kMostCopies = 3; // operations that are named separately

struct ExchangeFact {
  const StepFact* step;
  reports::ExchangeRow row;
};

// The exchanges with a share of the run worth reporting.
std::vector<ExchangeFact> costlyExchanges(const Facts& facts) {
  std::vector<ExchangeFact> list;
  for (const StepFact& step : facts.steps) {
    if (step.activity != reports::Activity::InternalExchange || !step.exchange || facts.shareOfRun(step.cycles) < kWorthExchange)
      continue;
    if (auto row = facts.session.reader().first<reports::ExchangeRow>("id = ?", {*step.exchange}))
      list.push_back({&step, std::move(*row)});
  }
  return list;
}

struct Load {
  std::size_t tile = 0;
  int64_t most = 0, tiles = 0;
  int64_t alike = 0; // tiles that move nearly as many bytes as the busiest
};
Load loadOf(const reports::Blob& blob, std::size_t tiles, std::string_view what) {
  constexpr double kAlike = 0.95;
  Load load;
  const reports::AmountRuns all(blob, tiles, what);
  load.tiles = all.positive();
  load.most = all.most().value, load.tile = load.most > 0 ? all.most().begin : 0;
  for (const reports::ValueRun& run : all.runs())
    if (run.value > 0 && double(run.value) >= kAlike * double(load.most)) load.alike += int64_t(run.end - run.begin);
  return load;
}

} // namespace

void findExchangeHotSpots(const Facts& facts, Findings& found) {
  struct Hot {
    const ExchangeFact* exchange;
    Load load;
    bool receives;
    Cycles saved;
    double even;    // bytes of the busiest tile if they were spread evenly
    int64_t takers; // tiles that take part
  };
  const auto exchanges = costlyExchanges(facts);
  const auto tiles = static_cast<std::size_t>(facts.machine.tiles());
  std::vector<Hot> hot;
  for (const ExchangeFact& e : exchanges) {
    const Load in = loadOf(e.row.bytesInByTile, tiles, "exchange.bytes_in_by_tile");
    const Load out = loadOf(e.row.bytesOutByTile, tiles, "exchange.bytes_out_by_tile");
    const bool receives = in.most >= out.most;
    const Load& busiest = receives ? in : out;
    // A gather has few receivers and many senders. The mean over its receivers alone would look balanced.
    const int64_t takers = std::max<int64_t>({in.tiles, out.tiles, 1});
    const double even = double(e.row.totalBytes) / double(takers);
    if (double(busiest.most) < kHot * even) continue;
    const Cycles saved(int64_t(double(e.step->cycles.value()) * (1 - even / double(busiest.most))));
    if (facts.shareOfRun(saved) >= kWorthExchange) hot.push_back({&e, busiest, receives, saved, even, takers});
  }
  std::stable_sort(hot.begin(), hot.end(), [](const Hot& a, const Hot& b) { return a.saved > b.saved; });
  if (hot.size() > kMostExchanges) hot.resize(kMostExchanges);
  for (const Hot& h : hot) {
    Insight i;
    // The tile distinguishes several exchanges with the same name.
    i.where = facts.session.text(h.exchange->step->name) + ", tile " + std::to_string(h.load.tile);
    i.cycles = h.saved, i.share = facts.shareOfRun(h.saved), i.confidence = Confidence::Medium;
    i.evidence = {
        .view = "trace", .tiles = {TileId(h.load.tile)}, .step = h.exchange->step->id, .words = "the exchange in Trace"};
    i.what << "In " << Sentence::Name{facts.session.text(h.exchange->step->name)} << " ";
    if (h.load.alike > 1)
      i.what << h.load.alike << " tiles, such as tile " + std::to_string(h.load.tile) + ","
             << (h.receives ? " receive " : " send ") << Bytes(h.load.most) << " each";
    else
      i.what << "tile " + std::to_string(h.load.tile) << (h.receives ? " receives " : " sends ") << Bytes(h.load.most);
    i.what << " (an even spread over " << h.takers << " tiles: " << Bytes(std::llround(h.even)) << "); all others wait for "
           << (h.load.alike > 1 ? "them." : "it.");
    i.parts = {{h.receives ? "Tiles that receive" : "Tiles that send", h.load.tiles},
               {"Tiles that could share it", h.takers},
               {"Busiest tile", Bytes(h.load.most)},
               {"Even spread", Bytes(std::llround(h.even))}};
    i.advice = {h.receives ? "Reduce in two stages, so that each tile receives from few others."
                           : "Spread the tensor that is read over more tiles.",
                "Map the result over more tiles."};
    found.push_back(std::move(i));
  }
}

void findSmallMessages(const Facts& facts, Findings& found) {
  const auto exchanges = costlyExchanges(facts);
  Cycles cycles, worstCycles;
  int64_t messages = 0, bytes = 0, count = 0;
  const ExchangeFact* worst = nullptr;
  std::vector<const StepFact*> steps;
  Insight i;
  for (const ExchangeFact& e : exchanges) {
    if (e.row.messages < kManyMessages || double(e.row.totalBytes) >= kShortMessage * double(e.row.messages)) continue;
    const int64_t executions = std::max<int64_t>(1, e.step->cost.executions); // the row is for one execution
    cycles += e.step->cycles, ++count;
    messages = trace::sumOf(messages, trace::product(e.row.messages, executions));
    bytes = trace::sumOf(bytes, trace::product(e.row.totalBytes, executions));
    if (e.step->cycles > worstCycles) worst = &e, worstCycles = e.step->cycles;
    if (steps.size() < kMostListed) steps.push_back(e.step);
  }
  if (!worst) return;
  for (const StepFact* step : steps) { // the id distinguishes steps with equal names, as in Program
    const auto twins = std::count_if(steps.begin(), steps.end(), [&](const StepFact* s) { return s->name == step->name; });
    const std::string id = twins > 1 ? " #" + std::to_string(step->id.value()) : "";
    i.parts.push_back({facts.session.text(step->name) + id, step->cycles});
  }
  i.where = facts.placeOf(*worst->step);
  i.cycles = cycles / 2, i.share = facts.shareOfRun(i.cycles), i.confidence = Confidence::Low;
  i.evidence = {.view = "program", .step = worst->step->id, .words = "the exchange in Program"};
  i.what << count << (count == 1 ? " exchange sends " : " exchanges send ") << messages << " messages of "
         << Bytes(bytes / std::max<int64_t>(1, messages)) << " in the mean" << (count == 1 ? " and takes " : " and take ")
         << cycles << ": every message costs an instruction on both sides and code for it.";
  i.advice = {"Keep data that moves together contiguous: change the layout (dimShuffle before the copy, not after).",
              "Let the reader take whole rows, or create the tensor in the layout of its reader."};
  found.push_back(std::move(i));
}

namespace {
struct Copies {
  Cycles cycles;
  const StepFact* longest = nullptr;
};

// Adds one finding for the operations that are not named separately.
void sayOtherCopies(const Facts& facts, std::span<const std::pair<std::string, Copies>> places, Findings& found) {
  Copies all;
  for (const auto& [place, copies] : places) {
    all.cycles += copies.cycles;
    if (!all.longest || copies.longest->cycles > all.longest->cycles) all.longest = copies.longest;
  }
  Insight i;
  i.where = "many operations"; // a stable location: comparisons pair findings by it
  i.cycles = all.cycles, i.share = facts.shareOfRun(all.cycles), i.confidence = Confidence::Low;
  i.evidence = {.view = "trace", .step = all.longest->id, .words = "the costliest of these copies in Trace"};
  i.what << int64_t(places.size()) << " more operations copy over the links between IPUs for " << all.cycles << ", "
         << Sentence::Percent{i.share} << " of the run, the largest of them " << Sentence::Name{places.front().first} << ".";
  for (std::size_t k = 0; k < std::min(places.size(), kMostCopies); ++k)
    i.parts.push_back({places[k].first, places[k].second.cycles});
  i.advice = {"Cut the model where fewer values cross from IPU to IPU ({option shard} with the first node of every part).",
              "Use fewer IPUs, or replicas, if the model fits: then less is copied between them."};
  found.push_back(std::move(i));
}
} // namespace

// Copies between IPUs. The two IPUs of a copy work, and all other IPUs wait for them, so the copy's cycles are compared with
// those of the run.
void findCopiesBetweenIpus(const Facts& facts, Findings& found) {
  std::map<std::string, Copies> places;
  for (const StepFact& step : facts.steps) {
    if (step.activity != reports::Activity::GlobalExchange) continue;
    Copies& copies = places[facts.placeOf(step)];
    copies.cycles += step.cycles;
    if (!copies.longest || step.cycles > copies.longest->cycles) copies.longest = &step;
  }
  std::vector<std::pair<std::string, Copies>> worst;
  for (const auto& [place, copies] : places)
    if (facts.shareOfRun(copies.cycles) >= kWorthLinks) worst.emplace_back(place, copies);
  std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) { return a.second.cycles > b.second.cycles; });
  if (worst.size() > kMostCopies + 1) { // one further operation is named, too
    sayOtherCopies(facts, std::span(worst).subspan(kMostCopies), found);
    worst.resize(kMostCopies);
  }
  for (const auto& [place, copies] : worst) {
    Insight i;
    i.where = place;
    i.cycles = copies.cycles, i.share = facts.shareOfRun(copies.cycles), i.confidence = Confidence::Medium;
    i.evidence = {.view = "trace", .step = copies.longest->id, .words = "the costliest of these copies in Trace"};
    i.what << Sentence::Name{place} << " copies over the links between IPUs for " << copies.cycles << ", "
           << Sentence::Percent{i.share}
           << (int64_t(copies.longest->cost.onIpus.size()) < facts.machine.ipus
                   ? " of the run; IPUs that take no part wait for it."
                   : " of the run; all IPUs take part.");
    i.parts = {{"All its copies", copies.cycles}, {"Costliest step, all executions", copies.longest->cycles}};
    if (place.ends_with("AllReduce") && facts.isModel()) {
      i.advice = {"Sum up more micro-batches between two updates ({option accumulation}): gradients are reduced once per update.",
                  "Send fewer bytes: half precision, also of the gradients' sums ({option half-sums})."};
      if (facts.mayShardState())
        i.advice.push_back(
            "Keep a share of the optimiser's state on every replica ({option shard-state}): gradients are reduced in parts.");
    } else if (!facts.isModel())
      i.advice = {"Place the operations that exchange this data on one IPU.",
                  "Copy fewer bytes: half precision, or a sum on the sender before the copy.",
                  "Copy the data of several steps at once: each copy has a cost before its first byte."};
    else
      i.advice = {"Place the operations that exchange this data on one IPU: a stage may share an IPU with another ({option "
                  "shard} layers:…@…).",
                  "Copy fewer bytes: half precision, or a sum on the sender before the copy.",
                  facts.training
                      ? "Copy weights and their gradients once per update instead of once per micro-batch."
                      : "Copy the values of several micro-batches at once: each copy has a cost before its first byte."};
    if (facts.isModel() && !facts.fp16)
      i.trials.push_back(trials::halfPrecision().because("Values take two bytes instead of four on the links, too."));
    found.push_back(std::move(i));
  }
}

} // namespace analyser::insights
