// Rules over the bytes of tiles. The fullest tile counts, because it decides whether a program fits.
#include "analyser/insights/rules.h"

#include "analyser/liveness/shrink.h"
#include "analyser/memory/excess.h"
#include "analyser/program/model_layers.h"
#include "reports/sqlite/reader.h"

namespace analyser::insights {

namespace {

constexpr double kFullOverMedian = 1.25;     // a tile counts as fuller if its bytes / the median are at least this
constexpr Bytes kLeastTileBytes{8 * 1024};   // on one tile: less is noise beside 600 KiB
constexpr double kWorthMemory = 0.001;       // share of the memory of an IPU
constexpr double kExchangeCodeShare = 0.10;  // share of the bytes in use
constexpr double kGapShare = 0.05;           // share of a tile's memory
constexpr double kOwnerShare = 0.15;         // share of the peak
constexpr double kPeakShare = 0.10;          // share of all live bytes at the peak; below, it is not a problem
constexpr double kCodeShare = 0.5;           // share of a tile's bytes
constexpr double kCodeOfTile = 0.05;         // share of a tile's memory
constexpr Bytes kLeastReplicated{64 * 1024}; // over all tiles
constexpr std::size_t kMostParts = 6;

std::string tileWords(TileId tile) { return "tile " + std::to_string(tile.value()); }

Evidence onTile(TileId tile) { return {.view = "memory", .tiles = {tile}, .words = tileWords(tile) + " in Memory"}; }

double shareOf(Bytes part, Bytes whole) { return whole > Bytes() ? ratio(part, whole) : 0; }

void keepLargest(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    const auto bytes = [](const Part& p) {
      if (const auto* whole = std::get_if<Bytes>(&p.amount)) return whole->value();
      if (const auto* change = std::get_if<Sentence::Change<Bytes>>(&p.amount)) return change->value.value();
      return int64_t(0);
    };
    return bytes(a) > bytes(b);
  });
  if (parts.size() > kMostParts) parts.resize(kMostParts);
}

const char* adviceFor(const memory::ExcessPart& largest) {
  if (!largest.category) return "Spread its contents over more tiles (setTileMapping).";
  if (reports::isCode(*largest.category))
    return "The difference is code: share it (outlining, fewer vertex types) or let other tiles do part of the work.";
  switch (*largest.category) {
  case reports::MemoryCategory::VertexInstanceState: return "Use fewer, larger vertices on it, or spread them over more tiles.";
  case reports::MemoryCategory::Message:
  case reports::MemoryCategory::Rearrangement:
    return "It gathers data from other tiles: reduce in several stages, or gather on more tiles.";
  default: return "Spread its variables over more tiles (setTileMapping, mapTensorLinearly).";
  }
}

// Bytes of code on every tile.
std::vector<Bytes> codeByTile(const memory::TileMemory& memory) {
  std::vector<Bytes> code(memory.total.values.size());
  for (const memory::TileSeries& part : memory.parts)
    if (part.category && reports::isCode(*part.category))
      for (std::size_t t = 0; t < code.size(); ++t) code[t] += part.values[t];
  return code;
}

// Whether the temporaries of any plan take more than this share of a tile. If none do, limiting plans to this share changes none.
bool plansWithMoreThan(const Facts& facts, double share) {
  const auto most = static_cast<int64_t>(share * double(facts.memory.capacity.value()));
  return facts.session.reader().first<reports::PlanRow>("temporary_bytes > ?", {most}).has_value();
}

// The tile that exceeds the median tile of its IPU by most (ties: the fuller tile). Leaves out tiles with less than half of the
// fullest tile's bytes, because a saving there changes nothing. If tiles overflow, only these are considered.
TileId farthestOverItsMedian(const memory::TileMemory& m) {
  constexpr double kNearlyFullest = 0.5;
  const std::vector<Bytes> medians = memory::mediansByIpu(m);
  TileId farthest = memory::fullestTile(m);
  Bytes most;
  for (std::size_t t = 0; t < m.total.values.size(); ++t) {
    if (m.overflowTiles > 0 && m.overflow.values[t] == Bytes()) continue;
    const Bytes held = m.total.values[t], over = held - medians[m.ipuOf(t)];
    if (m.overflowTiles == 0 && double(held.value()) < kNearlyFullest * double(m.total.max.value())) continue;
    if (over > most || (over == most && held > m.total.values[farthest.value()])) most = over, farthest = TileId(t);
  }
  return farthest;
}

} // namespace

void findFullestTiles(const Facts& facts, Findings& found) {
  const memory::TileMemory& m = facts.memory;
  if (m.total.max == Bytes()) return;
  const TileId fullest = farthestOverItsMedian(m);
  const memory::Excess by = memory::excessOf(facts.session, m, fullest);
  const Bytes excess = by.difference;
  if (excess < kLeastTileBytes || double(by.held.value()) < kFullOverMedian * double(by.median.value())) return;
  Insight i;
  if (m.ipus > 1 && fullest != memory::fullestTile(m)) i.title = "Tile fuller than its IPU";
  i.where = tileWords(fullest);
  i.bytes = excess, i.onOneTile = true, i.confidence = Confidence::High;
  i.share = shareOf(excess, m.capacity);
  i.evidence = onTile(fullest);
  i.what = memory::excessSentence(by);
  for (const memory::ExcessPart& part : by.parts) i.parts.push_back({part.title, Sentence::Change<Bytes>{part.difference}});
  if (i.parts.size() > kMostParts) i.parts.resize(kMostParts);
  if (!by.parts.empty()) i.advice.push_back(adviceFor(by.parts.front()));
  const auto alike = std::count_if(m.total.values.begin(), m.total.values.end(),
                                   [&](Bytes b) { return b >= by.held - kLeastTileBytes && b <= by.held + kLeastTileBytes; });
  if (alike > 1) {
    i.what << " " << int64_t(alike - 1) << (alike == 2 ? " other tile is" : " other tiles are") << " about as full.";
    i.advice.push_back("Shrink the contents of all these tiles: if only one shrinks, the next one is as full.");
  }
  found.push_back(std::move(i));
}

// The exchanges with most code, as one finding: their code stays on the participating tiles all the time.
void findExchangeCode(const Facts& facts, Findings& found) {
  Bytes code, code0;
  for (const memory::TileSeries& part : facts.memory.parts) {
    if (part.category != reports::MemoryCategory::InternalExchangeCode) continue;
    code = part.sum, code0 = part.max;
  }
  if (code == Bytes() || shareOf(code, facts.memory.total.sum) < kExchangeCodeShare || code0 < kLeastTileBytes) return;
  struct Exchange {
    int64_t id, code, messages;
  };
  std::vector<Exchange> exchanges;
  facts.session.reader().forEach<reports::ExchangeRow>(
      "kind = 'internal'", {},
      [&](const reports::ExchangeRow& row) {
        exchanges.push_back({row.id, row.codeBytes, row.messages});
      },
      facts.stop);
  std::sort(exchanges.begin(), exchanges.end(),
            [](const Exchange& a, const Exchange& b) { return std::pair(b.code, a.id) < std::pair(a.code, b.id); });
  std::unordered_map<int64_t, const StepFact*> stepOf;
  for (const StepFact& step : facts.steps)
    if (step.exchange) stepOf.emplace(*step.exchange, &step);
  Insight i;
  const StepFact* first = nullptr;
  for (const Exchange& e : exchanges) {
    const auto step = stepOf.find(e.id);
    if (i.parts.size() == kMostParts || step == stepOf.end()) continue;
    if (!first) first = step->second, i.bytes = Bytes(e.code);
    i.parts.push_back({facts.session.text(step->second->name), Bytes(e.code)});
  }
  if (!first) return;
  i.where = facts.session.text(first->name);
  i.share = shareOf(i.bytes, facts.allMemory());
  i.confidence = Confidence::Medium;
  i.evidence = {.view = "program", .step = first->id, .words = "the step in Program"};
  i.what << "Code of internal exchanges takes " << code << ", " << Sentence::Percent{shareOf(code, facts.memory.total.sum)}
         << " of the memory in use; the largest single exchange has " << i.bytes << " of it.";
  i.advice = {
      "Create a tensor in the layout of its reader (createMatMulInputRHS, createConvWeights), so that nothing is rearranged.",
      "Keep slices contiguous: many short messages need an instruction each.",
      "Let repeated layers share their code (outlining)."};
  found.push_back(std::move(i));
}

// Constants with the same name, type and shape count as copies of one constant: vertex code keeps its literals on every tile.
void findReplicatedConstants(const Facts& facts, Findings& found) {
  struct Copies {
    int64_t bytes = 0, largest = 0, first = -1, tiles = 0, copies = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Copies> groups;
  facts.session.reader().forEach<reports::VariableRow>(
      "category = ?", {int64_t(reports::MemoryCategory::Constant)},
      [&](const reports::VariableRow& row) {
        if (row.elements <= 0) return; // storage of the compiler, which a program cannot change
        std::string name = facts.session.text(row.nameId);
        // Worklists are not copies: each compute set has its own, even if names are equal, and vertices read them in place.
        if (row.elementType == "uint16" && name.ends_with("/worklists")) return;
        while (!name.empty() && (std::isdigit(static_cast<unsigned char>(name.back())) || name.back() == '_')) name.pop_back();
        Copies& c = groups[{std::move(name), row.elementType, row.shape}];
        if (c.first < 0) c.first = row.id;
        c.bytes += row.totalBytes, c.tiles = std::max(c.tiles, row.tiles), ++c.copies;
        c.largest = std::max(c.largest, row.totalBytes);
      },
      facts.stop);
  for (const auto& [key, c] : groups) {
    const Bytes saved(c.bytes - c.largest);
    if (c.copies < 2 || saved < kLeastReplicated) continue;
    Insight i;
    i.where = std::get<0>(key);
    i.bytes = saved, i.share = shareOf(saved, facts.allMemory());
    i.confidence = Confidence::Medium;
    i.evidence = {
        .view = "memory", .variable = reports::VariableId(static_cast<std::size_t>(c.first)), .words = "the constant in Memory"};
    i.what << "The constant " << Sentence::Name{std::get<0>(key)}
           << " (" + std::get<1>(key) + " " + std::get<2>(key) + ") exists " << c.copies << " times: " << Bytes(c.bytes)
           << " instead of " << Bytes(c.largest) << ".";
    i.parts = {{"Copies", c.copies}, {"One copy", Bytes(c.largest)}, {"All copies", Bytes(c.bytes)}};
    i.advice = {"Add the constant once and let the tiles that need it receive it.",
                "If it is a table of a few values, compute it in the vertex instead."};
    found.push_back(std::move(i));
  }
}

void findGaps(const Facts& facts, Findings& found) {
  const memory::TileMemory& m = facts.memory;
  TileId worst;
  Bytes most, sum;
  for (std::size_t t = 0; t < m.total.values.size(); ++t) {
    const Bytes gap = m.totalWithGaps.values[t] - m.total.values[t];
    sum += gap;
    // If the program does not fit, only tiles that overflow count.
    if (facts.outOfMemory && (t >= m.overflow.values.size() || m.overflow.values[t] == Bytes())) continue;
    if (gap > most) most = gap, worst = TileId(t);
  }
  // Gaps matter only if memory is scarce, or if they are a large part of the tile's memory.
  if (most == Bytes() || shareOf(most, m.capacity) < kGapShare) return;
  if (shareOf(m.totalWithGaps.values[worst.value()], m.capacity) < 0.6 && !facts.outOfMemory) return;
  Insight i;
  i.where = tileWords(worst);
  i.bytes = most, i.onOneTile = true, i.share = shareOf(most, m.capacity), i.confidence = Confidence::Medium;
  i.evidence = onTile(worst);
  i.what << "Tile " + std::to_string(worst.value()) + " reaches to " << m.totalWithGaps.values[worst.value()] << " but holds "
         << m.total.values[worst.value()] << ": " << most << " are gaps";
  i.what << ", " << sum << " over all tiles.";
  i.parts = {{"Held", m.total.values[worst.value()]}, {"Gaps", most}};
  i.advice = {"Variables that vertices need in interleaved memory start after its boundary: use fewer of them, or smaller ones.",
              "Vertices that read two inputs at once need them in different memory elements; Memory, Variables gives the reason "
              "for each variable's address."};
  found.push_back(std::move(i));
}

// On several IPUs, counts only the IPU that decides whether the program fits.
void findPeakOwners(const Facts& facts, Findings& found) {
  const liveness::Curve curve = liveness::curve(facts.session, liveness::scopeOf(liveness::decidingIpu(facts.session)));
  const Bytes peak = curve.peak;
  if (peak <= Bytes()) return;
  if (shareOf(peak, curve.alwaysLive + peak) < kPeakShare && !facts.outOfMemory) return;
  const auto lives = std::make_shared<const liveness::LifeIndex>(
      facts.session, liveness::scopeBytes(facts.session, curve.scope, facts.stop), facts.stop);
  const std::vector<liveness::LiveVariable> owners = lives->at(facts.session, curve.peakStep, facts.stop).notAlwaysLive;
  if (owners.empty()) return;
  // Removing a variable may move the peak to another step, so the owner is the large variable whose removal saves most.
  const std::vector<Bytes> gains = liveness::Gains(lives, curve).of(owners);
  std::size_t most = owners.size();
  for (std::size_t k = 0; k < owners.size() && shareOf(owners[k].bytes, peak) >= kOwnerShare; ++k)
    if (most == owners.size() || gains[k] > gains[most]) most = k;
  if (most == owners.size() || gains[most] <= Bytes()) return;
  const liveness::LiveVariable& top = owners[most];
  const Bytes gain = gains[most];
  if (shareOf(gain, facts.machine.memoryPerIpu()) < kWorthMemory && !facts.outOfMemory) return;
  Insight i;
  i.where = top.name;
  i.bytes = gain, i.share = shareOf(gain, curve.capacity), i.confidence = Confidence::Medium;
  i.evidence = {.view = "liveness", .variable = top.variable, .words = "the peak in Liveness"};
  for (const StepFact& step : facts.steps)
    if (step.livenessStep == curve.peakStep) i.evidence.step = step.id;
  i.what << (facts.machine.ipus > 1 ? "At the peak of " + (curve.scope == "all" ? "all IPUs" : curve.title) + ", "
                                    : "At the peak of ")
         << peak << " beyond the always-live memory, " << Sentence::Name{i.where} << " alone takes " << top.bytes << " ("
         << Sentence::Percent{shareOf(top.bytes, peak)} << ")";
  if (gain < top.bytes) i.what << "; without it another step is the peak, " << gain << " lower";
  i.what << ".";
  Bytes others = peak;
  for (std::size_t k = 0; k < std::min(kMostParts, owners.size()); ++k) {
    i.parts.push_back({owners[k].name, owners[k].bytes});
    others -= owners[k].bytes;
  }
  if (others > Bytes()) i.parts.push_back({"All others", others});
  const auto pass = program::passOfPath(top.operation);
  if (pass == "wu") {
    i.advice = {"Only the update needs it: update the parameters one after the other, or a large one in parts."};
    if (facts.mayHalveState()) i.advice.push_back("Keep the state of the optimiser in half precision ({option half-state}).");
    if (facts.mayShardState()) i.advice.push_back("Share the state among the replicas ({option shard-state}).");
  } else if (pass == "bwd")
    i.advice = {"Run its readers sooner: update a weight as soon as its gradient is computed.",
                "Split its operation into several parts, or give it less memory for temporaries."};
  else
    i.advice = {"Free it earlier: move its last reader forward, or compute it again where it is needed.",
                "Split its operation into several parts, or give it less memory for temporaries."};
  if (facts.isModel() && pass != "wu") i.advice.push_back("Use a smaller micro-batch.");
  if (facts.training && !facts.recomputes && pass != "wu" && pass != "bwd") i.trials.push_back(trials::recompute());
  if (facts.isModel() && plansWithMoreThan(facts, trials::kLessRoom)) i.trials.push_back(trials::lessRoom());
  found.push_back(std::move(i));
}

void findCodeHeavyTiles(const Facts& facts, Findings& found) {
  const std::vector<Bytes> code = codeByTile(facts.memory);
  if (code.empty()) return;
  int64_t heavy = 0;
  std::size_t worst = 0; // among the tiles with more code than data
  for (std::size_t t = 0; t < code.size(); ++t)
    if (shareOf(code[t], facts.memory.total.values[t]) > kCodeShare && (heavy++ == 0 || code[t] > code[worst])) worst = t;
  if (heavy == 0 || shareOf(code[worst], facts.memory.capacity) < kCodeOfTile) return;
  Insight i;
  i.where = tileWords(TileId(worst));
  i.bytes = code[worst] / 2, i.onOneTile = true, i.share = shareOf(i.bytes, facts.memory.capacity),
  i.confidence = Confidence::Low;
  i.evidence = onTile(TileId(worst));
  i.what << heavy << (heavy == 1 ? " tile holds" : " tiles hold")
         << " more code than data; tile " + std::to_string(worst) + " has " << code[worst] << " of it ("
         << Sentence::Percent{shareOf(code[worst], facts.memory.total.values[worst])} << ").";
  for (const memory::TileSeries& part : facts.memory.parts)
    if (part.category && reports::isCode(*part.category) && part.values[worst] > Bytes())
      i.parts.push_back({part.title, part.values[worst]});
  keepLargest(i.parts);
  i.advice = {"Use a larger batch or fewer tiles: each tile stores the code once, however much it computes.",
              "Have fewer kinds of vertices: merge element-wise operations, keep one data type.",
              "Leave outlining on, so that repeated layers share their code."};
  found.push_back(std::move(i));
}

} // namespace analyser::insights
