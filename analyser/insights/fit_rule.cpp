// Finds changes that may make a program fit. The report says how much is missing and what takes it; which change suffices is found by
// running it, so every change is a trial.
#include "analyser/insights/rules.h"

#include "reports/sqlite/reader.h"

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

std::vector<Trial> trialsFor(const Facts& facts, const Shares& s, Bytes needed) {
  std::vector<Trial> trials;
  const auto bytes = [](Bytes b) { return Sentence() << b; };
  if (!facts.fp16) trials.push_back({"Half precision", {"--precision", "fp16"}, "Values take two bytes instead of four."});
  if (facts.training)
    trials.push_back(
        {"Recompute activations",
         {"--recompute", "standard"},
         "The backward pass computes activations again: " + bytes(s.notAlwaysLive).text() + " are alive at the peak."});
  if (facts.training && s.optimiser > Bytes())
    trials.push_back({"Offload the optimiser's state",
                      {"--offload", "optimiser"},
                      bytes(s.optimiser).text() + " of state wait in streaming memory until the update."});
  if (facts.training && s.optimiser > Bytes()) {
    Trial shard{
        "Shard the optimiser's state", {"--shard-state"}, "Every replica keeps its share of " + bytes(s.optimiser).text() + "."};
    if (facts.replicas == 1) {
      shard.title += " over two replicas";
      shard.options.insert(shard.options.end(), {"--replicas", "2", "--ipus", std::to_string(2 * facts.machine.ipus)});
    }
    trials.push_back(std::move(shard));
  }
  trials.push_back(
      {"Less room for temporaries", {"--available-memory", "0.2"}, "Convolutions and products plan with a third of the memory."});
  int stages = 1;
  while (stages < 64 && facts.machine.memoryPerIpu() * int64_t(stages) * 7 < needed * 10)
    stages *= 2; // a tenth to three of it free
  // Several stages may lie on one IPU, so that their number need not be one of IPUs.
  stages = std::max(stages, static_cast<int>(std::bit_floor(static_cast<unsigned>(facts.stages))) * 2);
  trials.push_back({std::to_string(stages) + " pipeline stages",
                    {"--ipus", std::to_string(stages * facts.replicas), "--pipeline", std::to_string(stages)},
                    "The model needs " + bytes(needed).text() + ", " + std::to_string(stages * facts.replicas) + " IPUs have " +
                        bytes(facts.machine.memoryPerIpu() * int64_t(stages * facts.replicas)).text() + "."});
  if (facts.training && !facts.fp16) {
    Trial all{
        "All of it together", {"--precision", "fp16", "--recompute", "standard"}, "Half precision, recomputing and more stages."};
    for (const std::string& word : trials.back().options) all.options.push_back(word);
    trials.push_back(std::move(all));
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
  i.share = std::max(1.0, ratio(m.overflow.max, m.capacity));
  i.evidence = {.view = "memory",
                .tiles = {m.overflow.maxTile},
                .words = "tile " + std::to_string(m.overflow.maxTile.value()) + " in Memory"};
  i.what << int64_t(m.overflowTiles) << (m.overflowTiles == 1 ? " tile lacks" : " tiles lack") << " up to " << m.overflow.max
         << " each, " << m.overflow.sum << " in all; the program needs " << needed << " of " << facts.allMemory() << ".";
  Bytes rest = needed;
  for (const auto& [name, bytes] : {std::pair{"Weights and other values, always live", s.other},
                                    {"State of the optimiser, always live", s.optimiser},
                                    {"Activations and temporaries at the peak", s.notAlwaysLive},
                                    {"Code", s.code}})
    if (bytes > Bytes()) i.parts.push_back({name, bytes}), rest -= bytes;
  if (rest > Bytes()) i.parts.push_back({"Gaps, and what else lies on the tiles", rest});
  if (needed > facts.allMemory())
    i.advice.push_back("The whole program is larger than the machine: it needs more IPUs, or smaller values.");
  else
    i.advice.push_back("All tiles together have room for it: a better spread, or a lower peak, makes it fit.");
  i.advice.push_back("Try the changes below; each is a run of some seconds that opens its report.");
  i.trials = trialsFor(facts, s, needed);
  found.push_back(std::move(i));
}

} // namespace analyser::insights
