#include "analyser/compare/compare.h"

#include "analyser/operations/operations.h"
#include "analyser/session/format.h"
#include "analyser/session/in_report.h"

#include <cmath>
#include <set>

namespace analyser::compare {

namespace {

using summary::Summary;

void addFigure(std::vector<Figure>& list, std::string key, std::string title, Unit unit, double source, double target) {
  list.push_back({std::move(key), std::move(title), unit, source, target});
}

std::vector<Figure> totalsOf(const Summary& a, const Summary& b) {
  std::vector<Figure> list;
  const auto cycles = [&](const char* key, const char* title, Cycles x, Cycles y) {
    addFigure(list, key, title, Unit::Cycles, double(x.value()), double(y.value()));
  };
  const auto bytes = [&](const char* key, const char* title, Bytes x, Bytes y) {
    addFigure(list, key, title, Unit::Bytes, double(x.value()), double(y.value()));
  };
  const auto count = [&](const char* key, const char* title, int64_t x, int64_t y) {
    addFigure(list, key, title, Unit::Count, double(x), double(y));
  };
  addFigure(list, "seconds", "Time", Unit::Seconds, a.seconds, b.seconds);
  cycles("total_cycles", "Total cycles", a.cycles.total, b.cycles.total);
  cycles("cycles.compute", "Compute cycles", a.cycles.compute, b.cycles.compute);
  cycles("cycles.exchange", "Exchange cycles", a.cycles.exchange, b.cycles.exchange);
  cycles("cycles.sync", "Sync cycles", a.cycles.sync, b.cycles.sync);
  cycles("cycles.host", "Host stream cycles", a.cycles.host, b.cycles.host);
  if (a.cycles.hiddenHost != Cycles() || b.cycles.hiddenHost != Cycles())
    cycles("cycles.hidden_host", "Hidden host stream cycles", a.cycles.hiddenHost, b.cycles.hiddenHost);
  cycles("cycles.idle", "Idle cycles", a.cycles.idle, b.cycles.idle);
  addFigure(list, "flops", "FLOPs", Unit::Flops, double(a.flops.value()), double(b.flops.value()));
  bytes("memory.total_bytes", "Memory, all tiles", a.memory.total, b.memory.total);
  bytes("memory.total_with_gaps_bytes", "Memory including gaps", a.memory.totalWithGaps, b.memory.totalWithGaps);
  bytes("memory.max_tile_bytes", "Fullest tile", a.memory.fullestWithoutGaps.bytes, b.memory.fullestWithoutGaps.bytes);
  bytes("memory.always_live_bytes", "Always live", a.memory.alwaysLive, b.memory.alwaysLive);
  bytes("memory.peak_not_always_live_bytes", "Peak not always live", a.memory.peakNotAlwaysLive, b.memory.peakNotAlwaysLive);
  count("memory.overflow_tiles", "Tiles out of memory", a.memory.overflowTiles, b.memory.overflowTiles);
  count("graph.vertices", "Vertices", a.graph.vertices, b.graph.vertices);
  count("graph.edges", "Edges", a.graph.edges, b.graph.edges);
  count("graph.variables", "Variables", a.graph.variables, b.graph.variables);
  count("graph.compute_sets", "Compute sets", a.graph.computeSets, b.graph.computeSets);
  return list;
}

std::vector<Figure> categoriesOf(const Summary& a, const Summary& b) {
  std::map<reports::MemoryCategory, std::pair<Bytes, Bytes>> all;
  for (const auto& c : a.memory.byCategory) all[c.category].first = c.bytes;
  for (const auto& c : b.memory.byCategory) all[c.category].second = c.bytes;
  std::vector<Figure> list;
  for (const auto& [category, bytes] : all)
    addFigure(list, std::string(reports::memoryCategoryName(category)), std::string(reports::memoryCategoryTitle(category)),
              Unit::Bytes, double(bytes.first.value()), double(bytes.second.value()));
  return list;
}

// Operations of the same name are told apart by their number in program order.
std::map<std::string, const operations::Operation*> byName(const operations::Operations& all) {
  std::map<std::string, const operations::Operation*> names;
  std::unordered_map<std::string, int> seen;
  for (const auto& o : all.rows) {
    const int n = ++seen[o.name];
    names.emplace(n == 1 ? o.name : o.name + " #" + std::to_string(n), &o);
  }
  return names;
}

OperationDifference differenceOf(const std::string& name, const operations::Operation* a, const operations::Operation* b) {
  OperationDifference d;
  d.name = name;
  d.kind = (b ? b : a)->kind;
  d.presence = a && b ? Presence::Both : a ? Presence::SourceOnly : Presence::TargetOnly;
  if (a) {
    d.sourceCycles = a->total;
    d.sourceBytes = a->memory();
  }
  if (b) {
    d.targetCycles = b->total;
    d.targetBytes = b->memory();
  }
  return d;
}

void compareOperations(Session& source, Session& target, Comparison& c, const std::stop_token& stop) {
  const auto a = inReport(source, [&] { return operations::operations(source, stop); }),
             b = inReport(target, [&] { return operations::operations(target, stop); });
  const auto inA = byName(a), inB = byName(b);
  const auto find = [](const auto& map, const std::string& name) {
    const auto it = map.find(name);
    return it == map.end() ? nullptr : it->second;
  };
  for (const auto& [name, operation] : inA) {
    const OperationDifference d = differenceOf(name, operation, find(inB, name));
    if (d.presence == Presence::Both && d.cycles() == Cycles() && d.bytes() == Bytes())
      ++c.sameOperations;
    else
      c.operations.push_back(d);
  }
  for (const auto& [name, operation] : inB)
    if (!inA.contains(name)) c.operations.push_back(differenceOf(name, nullptr, operation));
  const auto effect = [](const OperationDifference& d) {
    return std::pair(std::abs(d.cycles().value()), std::abs(d.bytes().value()));
  };
  std::sort(c.operations.begin(), c.operations.end(), [&](const OperationDifference& x, const OperationDifference& y) {
    const auto ex = effect(x), ey = effect(y);
    return std::tie(ey, x.name) < std::tie(ex, y.name);
  });
}

using Facts = std::map<std::string, std::string>;

std::vector<TextDifference> differing(const Facts& a, const Facts& b) {
  std::set<std::string> keys;
  for (const auto& [key, value] : a) keys.insert(key);
  for (const auto& [key, value] : b) keys.insert(key);
  std::vector<TextDifference> list;
  for (const std::string& key : keys) {
    const auto x = a.find(key), y = b.find(key);
    TextDifference d{key, x == a.end() ? "" : x->second, y == b.end() ? "" : y->second};
    if (d.source != d.target) list.push_back(std::move(d));
  }
  return list;
}

Facts machineFacts(const Machine& m) {
  return {{"machine", m.title},
          {"architecture", m.architecture},
          {"IPUs", formatCount(m.ipus)},
          {"tiles per IPU", formatCount(m.tilesPerIpu)},
          {"memory per tile", formatBytes(m.memoryPerTile)},
          {"clock", formatSi(double(m.clockHz), "Hz")},
          {"exchange bytes per cycle", formatThreeDigits(m.exchangeBytesPerCycle)},
          {"peak fp16", formatRate(m.peakFp16FlopsPerSecond, "FLOP/s")},
          {"peak fp32", formatRate(m.peakFp32FlopsPerSecond, "FLOP/s")}};
}

Facts optionFacts(const Summary& s) {
  Facts facts;
  for (const auto& o : s.options) facts[o.key] = o.value;
  return facts;
}

// What describes the work; when and with which command line a report was made is not a difference of the program.
Facts metadataFacts(const Summary& s) {
  static const std::set<std::string> kNotCompared{"command_line", "created_utc", "complete", "title", "host"};
  Facts facts;
  for (const auto& [key, value] : s.metadata)
    if (!kNotCompared.contains(key)) facts[key] = value;
  return facts;
}

Sentence verdictOf(const Comparison& c) {
  if (c.empty()) return "No difference: both reports say the same.";
  const auto change = [&](std::string_view key) {
    const auto figure = std::find_if(c.totals.begin(), c.totals.end(), [&](const Figure& f) { return f.key == key; });
    return figure->relative().value_or(0);
  };
  Sentence verdict;
  const auto add = [&](double relative, const char* more, const char* less) {
    if (relative == 0) return;
    verdict << (verdict.empty() ? "" : ", ") << Sentence::Percent{std::abs(relative)} << (relative > 0 ? more : less);
  };
  const double cycles = change("total_cycles"), seconds = change("seconds");
  add(cycles, " more cycles", " fewer cycles");
  // At the same clock time says what cycles say.
  if (std::abs(seconds - cycles) > 1e-9) add(seconds, " slower", " faster");
  add(change("memory.max_tile_bytes"), " more on the fullest tile", " less on the fullest tile");
  if (verdict.empty()) verdict << "Same time and same memory";
  if (!c.operations.empty()) {
    const OperationDifference& top = c.operations.front();
    verdict << "; largest effect: " << Sentence::Name{top.name} << " (";
    if (top.cycles() != Cycles())
      verdict << Sentence::Change<Cycles>{top.cycles()};
    else
      verdict << Sentence::Change<Bytes>{top.bytes()};
    verdict << ")";
  }
  return verdict << ".";
}

} // namespace

std::optional<double> Figure::relative() const {
  if (source == 0) return std::nullopt;
  return difference() / source;
}

bool Comparison::empty() const {
  const auto same = [](const Figure& f) { return f.source == f.target; };
  return std::all_of(totals.begin(), totals.end(), same) && std::all_of(memoryByCategory.begin(), memoryByCategory.end(), same) &&
         operations.empty() && machine.empty() && options.empty() && metadata.empty();
}

Comparison compare(Session& source, Session& target, std::stop_token stop) {
  Comparison c;
  c.source = source.identity();
  c.target = target.identity();
  const Summary a = inReport(source, [&] { return summary::summarise(source, stop); }),
                b = inReport(target, [&] { return summary::summarise(target, stop); });
  c.totals = totalsOf(a, b);
  c.memoryByCategory = categoriesOf(a, b);
  compareOperations(source, target, c, stop);
  c.machine = differing(machineFacts(a.machine), machineFacts(b.machine));
  c.options = differing(optionFacts(a), optionFacts(b));
  c.metadata = differing(metadataFacts(a), metadataFacts(b));
  c.verdict = verdictOf(c);
  return c;
}

CurvePair curves(Session& source, Session& target, std::stop_token stop) {
  CurvePair pair;
  pair.sourceMemory = memory::tileMemory(source, memory::Breakdown::None, stop);
  pair.targetMemory = memory::tileMemory(target, memory::Breakdown::None, stop);
  pair.sourceLiveness = liveness::liveness(source, "all", stop);
  pair.targetLiveness = liveness::liveness(target, "all", stop);
  return pair;
}

} // namespace analyser::compare
