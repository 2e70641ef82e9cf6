// Finds changes that may make a program fit. The report gives the missing memory and what uses it. Only a run shows which change
// suffices, so every change is a trial.
#include "analyser/insights/machine_catalogue.h"
#include "analyser/insights/rules.h"
#include "analyser/liveness/liveness.h"
#include "analyser/program/model_layers.h"

#include "analyser/session/run_options.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <set>
#include <utility>

namespace analyser::insights {

namespace {

constexpr double kLeastPartKept = 0.1; // share of the peak that waits for the backward pass; above, recomputation is offered

bool hasOneOf(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}
// Gradients that are summed over micro-batches; PopART calls them Accum, and the state of an optimiser Accl.
bool namesGradientSum(std::string_view name) { return hasOneOf(name, {"/accumulator", "Accum__"}); }
bool namesOptimiserState(std::string_view name) {
  return !namesGradientSum(name) &&
         hasOneOf(name, {"firstMoment", "secondMoment", "moment", "velocity", "accumulator", "Accl", "variance"});
}

// Bytes by use, over all tiles or on the IPU that decides whether the program fits.
struct Shares {
  Bytes optimiser, gradients, other, code, held, gaps; // gradients: sums over micro-batches
  Bytes temporary;                                     // alive at the peak and read at once
  Bytes kept;        // alive at the peak and over three or more operations; made in the forward pass
  Bytes waiting;     // alive at the peak and over three or more operations; made by the backward pass or the update
  std::string where; // " on IPU 0"; empty for all tiles
};
// Splits the bytes at the peak by whether recomputation can free them. It can free values that wait while other operations run
// (`kept`). It cannot free values that an operation keeps for itself or passes to the next one (`temporary`), because it computes
// them again, nor values of the backward pass that wait for the update (`waiting`).
void splitPeak(const Facts& facts, const liveness::Curve& curve, const liveness::ScopeBytes& bytes, Shares& s) {
  std::map<int64_t, int> operationAt; // by ordinal
  for (const StepFact& step : facts.steps)
    if (step.livenessStep && step.operation >= 0) operationAt.emplace(*step.livenessStep, step.operation);
  const auto waits = [&](const liveness::LiveVariable& variable) {
    std::set<int> over; // operations
    for (auto at = operationAt.lower_bound(variable.live.begin); at != operationAt.end() && at->first < variable.live.end; ++at)
      if (over.insert(at->second); over.size() > 2) return true;
    return false;
  };
  for (const auto& variable : liveness::liveAt(facts.session, curve.peakStep, bytes, facts.stop).notAlwaysLive)
    if (waits(variable)) {
      const auto pass = program::passOfPath(variable.operation);
      (pass == "bwd" || pass == "wu" ? s.waiting : s.kept) += variable.bytes;
    }
  s.kept = std::min(s.kept, curve.peak);
  s.waiting = std::min(s.waiting, curve.peak - s.kept);
  s.temporary = curve.peak - s.kept - s.waiting;
}

Shares sharesOf(const Facts& facts, std::optional<IpuId> ipu) {
  Shares s;
  const liveness::Curve curve = liveness::curve(facts.session, liveness::scopeOf(ipu));
  const liveness::ScopeBytes bytes = liveness::scopeBytes(facts.session, liveness::scopeOf(ipu), facts.stop);
  reports::Connection::Watch watch(facts.session.reader().connection(), facts.stop);
  reports::Statement variables(
      facts.session.reader().connection(),
      "SELECT id, name_id, total_bytes FROM variable WHERE category = 0 AND elements > 0 AND always_live");
  while (variables.step()) {
    int64_t id = 0, name = 0, total = 0;
    variables.read(0, id, "variable.id");
    variables.read(1, name, "variable.name_id");
    variables.read(2, total, "variable.total_bytes");
    const std::string& text = facts.session.text(name);
    (namesGradientSum(text)      ? s.gradients
     : namesOptimiserState(text) ? s.optimiser
                                 : s.other) += bytes.of(reports::VariableId(static_cast<std::size_t>(id)), Bytes(total));
  }
  splitPeak(facts, curve, bytes, s);
  if (ipu) s.where = " on " + curve.title;
  const auto sum = [&](const std::vector<Bytes>& values) {
    Bytes all;
    for (std::size_t t = 0; t < values.size(); ++t)
      if (!ipu || facts.memory.ipuOf(t) == ipu->value()) all += values[t];
    return all;
  };
  for (const memory::TileSeries& part : facts.memory.parts)
    if (part.category && reports::isCode(*part.category)) s.code += sum(part.values);
  s.held = sum(facts.memory.totalWithGaps.values);
  s.gaps = s.held - sum(facts.memory.total.values);
  return s;
}

// Whether the run already has the option; a trial that adds it would change nothing.
bool isGiven(const Facts& facts, std::string_view option) { return runHasOption(facts.session, option); }

// Whether some state is offloaded from the chip; with `--offload none`, none is.
bool offloads(const Facts& facts) { return !facts.session.metadata("offload").empty(); }

// Bytes of the whole program, of the variables at the peak that are not always live, and of the largest always-live variable.
struct Demand {
  Bytes whole, alive, largest;
};

// Counts every tile of an IPU as if it were the fullest, because data that is uneven now will also be uneven with more stages.
Demand demandOf(const Facts& facts) {
  const memory::TileMemory& m = facts.memory;
  std::vector<Bytes> fullest(std::size_t(std::max(1, facts.machine.ipus)));
  for (std::size_t t = 0; t < m.totalWithGaps.values.size(); ++t) {
    Bytes& most = fullest[m.ipuOf(t)];
    most = std::max(most, m.totalWithGaps.values[t]);
  }
  Demand d;
  for (const Bytes most : fullest) d.whole += most * int64_t(facts.machine.tilesPerIpu);
  d.alive = std::min(d.whole, liveness::curve(facts.session, "all").peak);
  if (const auto row =
          facts.session.reader().first<reports::VariableRow>("always_live AND category = 0 ORDER BY total_bytes DESC"))
    d.largest = Bytes(row->totalBytes);
  return d;
}

// The demand after half precision, which halves every value, and recomputation, which keeps about a third of the activations.
Demand afterCheapChanges(const Facts& facts, Demand d, bool recomputes) {
  if (!facts.fp16)
    for (Bytes* bytes : {&d.whole, &d.alive, &d.largest}) *bytes = Bytes(bytes->value() / 2);
  if (recomputes) {
    const Bytes saved = d.alive - Bytes(d.alive.value() / 3);
    d.whole -= saved, d.alive -= saved;
  }
  return d;
}

// Bytes on the fullest IPU. A stage holds its share of weights and code, but each variable is entirely on one IPU. In training, a
// stage keeps the activations of several micro-batches: about as many bytes as the whole model needs for one micro-batch.
Bytes neededOfIpu(const Facts& facts, const Demand& d, int stages) {
  const Bytes kept = facts.training ? d.alive : Bytes(d.alive.value() / stages);
  return std::max(d.largest, Bytes((d.whole - d.alive).value() / stages)) + kept;
}

// The number of stages that fills each IPU to at most 70 %, because programs do not spread evenly. If activations alone fill an
// IPU, more stages do not help.
int stagesFor(const Facts& facts, const Demand& d) {
  int stages = 1;
  while (stages < 64 && facts.machine.memoryPerIpu() * int64_t(7) < neededOfIpu(facts, d, stages) * 10 &&
         (d.whole - d.alive) * 10 > facts.machine.memoryPerIpu() * int64_t(stages))
    stages *= 2;
  // Several stages may be on one IPU, so the number of stages need not be a number of IPUs.
  return std::max(stages, static_cast<int>(std::bit_floor(static_cast<unsigned>(facts.stages))) * 2);
}

// Options for this many IPUs, on a larger machine if this one has fewer; nothing if the catalogue has none with as many.
std::optional<std::vector<std::string>> ipuOptions(const Facts& facts, int ipus) {
  std::string machine = facts.machine.name;
  for (const CatalogueMachine* known = catalogueMachine(machine); known && ipus > known->mostIpus;
       known = catalogueMachine(machine))
    machine = known->larger;
  if (machine.empty()) return {};
  std::vector<std::string> options{"--ipus", std::to_string(ipus)};
  if (machine != facts.machine.name) options.insert(options.begin(), {"--machine", machine});
  return options;
}

// A trial with this number of stages. None if no machine has enough IPUs, or if an IPU would need more memory than it has, even
// by this coarse estimate.
std::optional<Trial> stagesTrial(const Facts& facts, const Demand& d, int stages) {
  auto options = ipuOptions(facts, stages * facts.replicas);
  const Bytes held = neededOfIpu(facts, d, stages);
  if (!options || stages < 2 || stages <= facts.stages || held > facts.machine.memoryPerIpu()) return {};
  options->insert(options->end(), {"--pipeline", std::to_string(stages)});
  const std::string machine = options->front() == "--machine" ? " on " + (*options)[1] : "";
  return Trial{"Pipeline over " + std::to_string(stages * facts.replicas) + " IPUs" + machine, std::move(*options),
               (Sentence() << "An IPU holds about " << held << " of " << facts.machine.memoryPerIpu()
                           << (facts.training ? ": its part of the weights, and activations of several micro-batches." : "."))
                   .text()};
}

// A trial on the next chip generation with the same number of IPUs. None if this is the latest generation, or if its machine has
// fewer IPUs.
std::optional<Trial> largerTilesTrial(const Facts& facts) {
  const int ipus = facts.machine.ipus * facts.replicas;
  const CatalogueMachine* known = catalogueMachine(facts.machine.name);
  const CatalogueMachine* next = known ? catalogueMachine(known->next) : nullptr;
  if (!next || ipus > next->mostIpus) return {};
  Trial trial{"Machine " + next->name, {"--machine", next->name}, "A chip with more tiles, and more memory on each."};
  if (ipus > 1) trial.options.insert(trial.options.end(), {"--ipus", std::to_string(ipus)});
  return trial;
}

// Several changes in one run, with their titles joined.
Trial together(const std::vector<Trial>& parts) {
  Trial all{"", {}, "Each of them, in one run."};
  for (const Trial& part : parts) {
    std::string title = part.title;
    if (!all.title.empty()) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
    all.title += (all.title.empty() ? "" : ", ") + title;
    all.options.insert(all.options.end(), part.options.begin(), part.options.end());
  }
  return all;
}

Trial with(std::vector<Trial> parts, const Trial& last) {
  if (parts.empty()) return last;
  parts.push_back(last);
  return together(parts);
}

std::string textOf(Bytes bytes) { return (Sentence() << bytes).text(); }

// Changes of precision, and recomputation: each can be combined with any other.
std::vector<Trial> cheapTrials(const Facts& facts, const Shares& s, bool mayRecompute) {
  std::vector<Trial> cheap;
  if (!facts.fp16) cheap.push_back(trials::halfPrecision());
  if (mayRecompute)
    cheap.push_back(trials::recompute().because("The backward pass computes activations again: " + textOf(s.kept) +
                                                " wait for it at the peak" + s.where + "."));
  return cheap;
}

// Trials that reduce the optimiser's state, the gradient sums or the memory of plans, on the same IPUs.
std::vector<Trial> trialsOfState(const Facts& facts, const Shares& s) {
  std::vector<Trial> trials;
  const bool mayHalve = facts.training && facts.fp16;
  if (mayHalve && s.gradients > Bytes() && !isGiven(facts, "--half-sums"))
    trials.push_back(trials::halfSums().because(textOf(s.gradients) + " of sums" + s.where + " take two bytes per value."));
  if (mayHalve && !isGiven(facts, "--half-state") && (s.optimiser > Bytes() || offloads(facts)))
    trials.push_back(trials::halfState());
  if (!isGiven(facts, "--available-memory")) trials.push_back(trials::lessRoom());
  if (facts.training && s.optimiser > Bytes() && !offloads(facts))
    trials.push_back(trials::offloadState().because(textOf(s.optimiser) + " of state" + s.where +
                                                    " wait in streaming memory until the update."));
  return trials;
}

// The optimiser's state sharded over the replicas of the run, or over two replicas on twice the IPUs.
std::optional<Trial> shardTrial(const Facts& facts, const Shares& s) {
  if (!facts.training || s.optimiser == Bytes() || isGiven(facts, "--shard-state")) return {};
  Trial shard = trials::shardState().because("Every replica keeps its share of " + textOf(s.optimiser) + s.where + ".");
  if (facts.replicas != 1) return shard;
  const auto twice = ipuOptions(facts, 2 * facts.machine.ipus);
  if (!twice) return {};
  shard.title += " over two replicas";
  shard.options.insert(shard.options.end(), {"--replicas", "2"});
  shard.options.insert(shard.options.end(), twice->begin(), twice->end());
  return shard;
}

// From the smallest change to the largest: single ones on the same IPUs first, then several at once, then more IPUs.
std::vector<Trial> trialsFor(const Facts& facts, const Shares& s, const Demand& now) {
  const bool mayRecompute =
      facts.training && !facts.recomputes && ratio(s.kept, s.kept + s.waiting + s.temporary) > kLeastPartKept;
  const std::vector<Trial> cheap = cheapTrials(facts, s, mayRecompute);
  std::vector<Trial> trials = cheap;
  for (Trial& trial : trialsOfState(facts, s)) trials.push_back(std::move(trial));
  const bool mayOffload = facts.training && !offloads(facts);
  const Trial weights = trials::offloadWeights();
  auto shard = shardTrial(facts, s);
  if (shard && facts.replicas != 1) trials.push_back(std::move(*shard)), shard.reset();
  if (auto larger = largerTilesTrial(facts)) trials.push_back(std::move(*larger));
  if (mayOffload) trials.push_back(weights); // last, because every pass waits for the transfer
  if (cheap.size() > 1) trials.push_back(together(cheap));
  // State moves to the host first, because it is used once per update; weights second, because every pass waits for them.
  std::vector<Trial> off;
  if (mayOffload && s.optimiser > Bytes()) {
    off.push_back(trials::offloadState().because(""));
    off.push_back(trials::offloadStateAndWeights());
  } else if (mayOffload) {
    off.push_back(weights);
  }
  if (!cheap.empty())
    for (const Trial& offload : off) trials.push_back(with(cheap, offload));
  else if (off.size() > 1)
    trials.push_back(off.back());
  const Demand less = afterCheapChanges(facts, now, mayRecompute);
  const int stages = stagesFor(facts, now);
  for (const int few : {stages / 2, stages}) // half of the stages may suffice, because the estimate is coarse
    if (auto trial = stagesTrial(facts, now, few)) trials.push_back(std::move(*trial));
  if (shard) trials.push_back(std::move(*shard));
  // After the cheap changes, fewer stages may suffice. Without cheap changes, the next attempt has more stages.
  const int fewest = cheap.empty() ? 2 * stages : stagesFor(facts, less);
  bool hasAll = false;
  for (const int more : {fewest, 2 * fewest}) {
    auto trial = stagesTrial(facts, less, more);
    if (!trial) continue;
    Trial all = with(cheap, *trial);
    all.why = trial->why;
    trials.push_back(all);
    // The last trials combine everything.
    if (!std::exchange(hasAll, true) && !off.empty()) trials.push_back(with({std::move(all)}, off.back()));
  }
  return trials;
}

} // namespace

void findOutOfMemory(const Facts& facts, Findings& found) {
  const memory::TileMemory& m = facts.memory;
  if (!facts.outOfMemory || m.overflow.max == Bytes()) return;
  const auto ipu = liveness::decidingIpu(facts.session);
  const Shares s = sharesOf(facts, ipu);
  const Bytes room = ipu ? facts.machine.memoryPerIpu() : facts.allMemory();
  Insight i;
  i.where = "tile " + std::to_string(m.overflow.maxTile.value());
  i.bytes = m.overflow.max, i.onOneTile = i.lacks = true, i.confidence = Confidence::High;
  i.share = ratio(m.overflow.max, m.capacity);
  i.evidence = {.view = "memory",
                .tiles = {m.overflow.maxTile},
                .words = "tile " + std::to_string(m.overflow.maxTile.value()) + " in Memory"};
  i.what << int64_t(m.overflowTiles) << (m.overflowTiles == 1 ? " tile lacks" : " tiles lack") << " up to " << m.overflow.max
         << " each, " << m.overflow.sum << " in all; " + (ipu ? "IPU " + std::to_string(ipu->value()) : "the program") + " needs "
         << s.held << " of " << room << ", gaps included.";
  Bytes rest = s.held;
  for (const auto& [name, bytes] : {std::pair{"Weights and other values, always live", s.other},
                                    {"State of the optimiser, always live", s.optimiser},
                                    {"Gradients summed over micro-batches, always live", s.gradients},
                                    {"Activations and other values at the peak", s.kept},
                                    {"Gradients and values of the update, live at the peak", s.waiting},
                                    {"Temporaries at the peak", s.temporary},
                                    {"Code", s.code}})
    if (bytes > Bytes()) i.parts.push_back({name, bytes}), rest -= bytes;
  rest -= s.gaps;
  if (rest > Bytes()) i.parts.push_back({"Exchange buffers, stacks and other parts", rest});
  if (s.gaps > Bytes()) i.parts.push_back({"Gaps", s.gaps});
  i.trials = trialsFor(facts, s, demandOf(facts));
  const bool hasOthers = std::any_of(i.trials.begin(), i.trials.end(), [](const Trial& t) {
    return std::find(t.options.begin(), t.options.end(), "--ipus") == t.options.end();
  });
  if (s.held > room)
    i.advice.push_back(
        !s.where.empty() ? "The values" + s.where + " exceed its memory: cut the program elsewhere, or add IPUs."
        : hasOthers      ? "The whole program is larger than the machine: first make its values fewer or smaller, then add IPUs."
                         : "The whole program is larger than the machine: it needs more IPUs.");
  else
    i.advice.push_back("All tiles" + s.where + " together have enough memory: a better spread, or a lower peak, makes it fit.");
  i.advice.push_back("Find what fits: the changes below are compiled one after another, the smallest first. Running one shows "
                     "its cost in time.");
  found.push_back(std::move(i));
}

} // namespace analyser::insights
