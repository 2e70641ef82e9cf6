// Finds changes that may make a program fit. The report says how much is missing and what takes it; which change suffices is found by
// running it, so every change is a trial.
#include "analyser/insights/rules.h"

#include "analyser/session/run_options.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <bit>
#include <cctype>

namespace analyser::insights {

namespace {

bool namesOptimiserState(std::string_view name) {
  for (const std::string_view word : {"firstMoment", "secondMoment", "moment", "velocity", "accumulator", "Accl", "variance"})
    if (name.find(word) != std::string_view::npos) return true;
  return false;
}

struct Shares {
  Bytes optimiser, other, notAlwaysLive, code;
};
Shares sharesOf(const Facts& facts) {
  Shares s;
  reports::Connection::Watch watch(facts.session.reader().connection(), facts.stop);
  reports::Statement variables(facts.session.reader().connection(),
                               "SELECT name_id, total_bytes, always_live FROM variable WHERE category = 0 AND elements > 0");
  while (variables.step()) {
    int64_t name = 0, bytes = 0, alwaysLive = 0;
    variables.read(0, name, "variable.name_id");
    variables.read(1, bytes, "variable.total_bytes");
    variables.read(2, alwaysLive, "variable.always_live");
    if (alwaysLive) (namesOptimiserState(facts.session.text(name)) ? s.optimiser : s.other) += Bytes(bytes);
  }
  if (const auto curve = facts.session.reader().first<reports::LivenessCurveRow>("scope = 'all'"))
    s.notAlwaysLive = Bytes(curve->peakBytes);
  for (const memory::TileSeries& part : facts.memory.parts)
    if (part.category && reports::isCode(*part.category)) s.code += part.sum;
  return s;
}

// A trial that changes nothing is none.
bool isGiven(const Facts& facts, std::string_view option) { return runHasOption(facts.session, option); }

// The bytes that one IPU holds of it. A stage has its part of the weights and the code; in training it keeps the activations of several
// micro-batches, together about as many as the whole model has of one.
Bytes neededOfIpu(const Facts& facts, const Shares& s, Bytes needed, int stages) {
  const Bytes alive = std::min(needed, s.notAlwaysLive);
  const Bytes kept = facts.training ? alive : Bytes(alive.value() / stages);
  return Bytes((needed - alive).value() / stages) + kept;
}

// Stages whose IPUs the program fills by at most seven tenths, as it does not spread evenly. Where activations alone fill an IPU, more
// stages do not help.
int stagesFor(const Facts& facts, const Shares& s, Bytes needed) {
  int stages = 1;
  while (stages < 64 && facts.machine.memoryPerIpu() * int64_t(7) < neededOfIpu(facts, s, needed, stages) * 10 &&
         (needed - std::min(needed, s.notAlwaysLive)) * 10 > facts.machine.memoryPerIpu() * int64_t(stages))
    stages *= 2;
  // Several stages may lie on one IPU, so that their number need not be one of IPUs.
  return std::max(stages, static_cast<int>(std::bit_floor(static_cast<unsigned>(facts.stages))) * 2);
}

// More IPUs than the machine has are those of the next larger one (resources/machines).
std::vector<std::string> ipuOptions(const Facts& facts, int ipus) {
  struct Size {
    std::string_view machine;
    int ipus;
    std::string_view larger;
  };
  constexpr Size kSizes[] = {{"c2", 2, "gc2"},
                             {"m2000", 4, "pod16"},
                             {"pod16", 16, "pod64"},
                             {"c600", 1, "gc200"},
                             {"bow-2000", 4, "bow-pod16"},
                             {"bow-pod16", 16, "bow-pod64"},
                             {"bow-pod64", 64, "bow-pod256"}};
  std::string machine = facts.machine.name;
  for (const Size& size : kSizes)
    if (machine == size.machine && ipus > size.ipus) machine = size.larger;
  std::vector<std::string> options{"--ipus", std::to_string(ipus)};
  if (machine != facts.machine.name) options.insert(options.begin(), {"--machine", machine});
  return options;
}

Trial stagesTrial(const Facts& facts, const Shares& s, int stages, Bytes needed) {
  std::vector<std::string> options = ipuOptions(facts, stages * facts.replicas);
  options.insert(options.end(), {"--pipeline", std::to_string(stages)});
  return {std::to_string(stages) + " pipeline stages", std::move(options),
          (Sentence() << "An IPU holds about " << neededOfIpu(facts, s, needed, stages) << " of " << facts.machine.memoryPerIpu()
                      << (facts.training ? ": its part of the weights, and activations of several micro-batches." : "."))
              .text()};
}

// Several changes in one run, its title their titles.
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

// From the cheapest change to the largest: single ones first, then several at once.
std::vector<Trial> trialsFor(const Facts& facts, const Shares& s, Bytes needed) {
  std::vector<Trial> trials, cheap; // `cheap` ones take no more IPUs, and go together
  const auto bytes = [](Bytes b) { return (Sentence() << b).text(); };
  if (!facts.fp16) cheap.push_back({"Half precision", {"--precision", "fp16"}, "Values take two bytes instead of four."});
  if (facts.training && !facts.recomputes)
    cheap.push_back({"Recompute activations",
                     {"--recompute", "standard"},
                     "The backward pass computes activations again: " + bytes(s.notAlwaysLive) + " are alive at the peak."});
  trials = cheap;
  const bool mayOffload = facts.training && !isGiven(facts, "--offload");
  if (mayOffload && s.optimiser > Bytes())
    trials.push_back({"Offload the optimiser's state",
                      {"--offload", "optimiser"},
                      bytes(s.optimiser) + " of state wait in streaming memory until the update."});
  const Trial weights{
      "Offload the weights", {"--offload", "weights"}, "Weights wait in streaming memory until a layer needs them."};
  if (mayOffload) trials.push_back(weights);
  if (facts.training && s.optimiser > Bytes() && !isGiven(facts, "--shard-state")) {
    Trial shard{"Shard the optimiser's state", {"--shard-state"}, "Every replica keeps its share of " + bytes(s.optimiser) + "."};
    if (facts.replicas == 1) {
      shard.title += " over two replicas";
      const std::vector<std::string> twice = ipuOptions(facts, 2 * facts.machine.ipus);
      shard.options.insert(shard.options.end(), {"--replicas", "2"});
      shard.options.insert(shard.options.end(), twice.begin(), twice.end());
    }
    trials.push_back(std::move(shard));
  }
  if (!isGiven(facts, "--available-memory"))
    trials.push_back({"Less room for temporaries",
                      {"--available-memory", "0.2"},
                      "Convolutions and products plan with a third of the memory."});
  const int stages = stagesFor(facts, s, needed);
  trials.push_back(stagesTrial(facts, s, stages, needed));
  if (cheap.size() > 1) trials.push_back(together(cheap));
  if (mayOffload && !cheap.empty()) {
    std::vector<Trial> parts = cheap;
    parts.push_back(weights);
    trials.push_back(together(parts));
  }
  // The cheap ones may save stages, too; without them only more stages are left.
  for (int more = cheap.empty() ? 2 * stages : std::max(1, stages / 2); more <= 2 * stages; more *= 2) {
    if (more < 2 || more <= facts.stages) continue;
    std::vector<Trial> parts = cheap;
    parts.push_back(stagesTrial(facts, s, more, needed));
    trials.push_back(parts.size() > 1 ? together(parts) : parts.front());
  }
  return trials;
}

} // namespace

void findOutOfMemory(const Facts& facts, Findings& found) {
  const memory::TileMemory& m = facts.memory;
  if (!facts.outOfMemory || m.overflow.max == Bytes()) return;
  const Shares s = sharesOf(facts);
  const Bytes needed = m.totalWithGaps.sum;
  Insight i;
  i.rule = "memory.out-of-memory", i.title = "Does not fit";
  i.where = "tile " + std::to_string(m.overflow.maxTile.value());
  i.bytes = m.overflow.max, i.onOneTile = i.lacks = true, i.confidence = Confidence::High;
  i.share = ratio(m.overflow.max, m.capacity);
  i.evidence = {.view = "memory",
                .tiles = {m.overflow.maxTile},
                .words = "tile " + std::to_string(m.overflow.maxTile.value()) + " in Memory"};
  i.what << int64_t(m.overflowTiles) << (m.overflowTiles == 1 ? " tile lacks" : " tiles lack") << " up to " << m.overflow.max
         << " each, " << m.overflow.sum << " in all; the program needs " << needed << " of " << facts.allMemory()
         << ", gaps included.";
  Bytes rest = needed;
  for (const auto& [name, bytes] : {std::pair{"Weights and other values, always live", s.other},
                                    {"State of the optimiser, always live", s.optimiser},
                                    {"Activations and temporaries at the peak", s.notAlwaysLive},
                                    {"Code", s.code}})
    if (bytes > Bytes()) i.parts.push_back({name, bytes}), rest -= bytes;
  const Bytes gaps = m.totalWithGaps.sum - m.total.sum;
  rest -= gaps;
  if (rest > Bytes()) i.parts.push_back({"Exchange buffers, stacks and other parts", rest});
  if (gaps > Bytes()) i.parts.push_back({"Gaps", gaps});
  i.trials = trialsFor(facts, s, std::max(needed, (m.capacity + m.overflow.max) * facts.machine.tiles()));
  const bool hasOthers = std::any_of(i.trials.begin(), i.trials.end(), [](const Trial& t) {
    return std::find(t.options.begin(), t.options.end(), "--ipus") == t.options.end();
  });
  if (needed > facts.allMemory())
    i.advice.push_back(
        hasOthers ? "The whole program is larger than the machine: first make its values fewer or smaller, then add IPUs."
                  : "The whole program is larger than the machine: it needs more IPUs.");
  else
    i.advice.push_back("All tiles together have room for it: a better spread, or a lower peak, makes it fit.");
  i.advice.push_back(
      "Find what fits: the changes below are compiled one after another, the cheapest first. Each can be run by itself, too.");
  found.push_back(std::move(i));
}

} // namespace analyser::insights
