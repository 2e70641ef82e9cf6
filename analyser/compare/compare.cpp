#include "analyser/compare/compare.h"

#include "analyser/compare/findings.h"
#include "analyser/compare/host_difference.h"
#include "analyser/compare/verdict.h"
#include "analyser/session/format.h"
#include "analyser/session/in_report.h"
#include "reports/rows/stream_copy.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace analyser::compare {

namespace {

using summary::Summary;

void addFigure(std::vector<Figure>& list, std::string key, std::string title, Unit unit, double base, double other) {
  Figure f;
  f.base = base, f.other = other, f.key = std::move(key), f.title = std::move(title), f.unit = unit;
  list.push_back(std::move(f));
}

// Only in comparisons of two host traces: their time, or the sum of another value that both profiles measure.
constexpr const char *kHostSeconds = "host.seconds", *kHostBytes = "host.bytes", *kHostCount = "host.count";

std::vector<Figure> totalsOf(const Summary& a, const Summary& b) {
  std::vector<Figure> list;
  const auto cycles = [&](const char* key, const std::string& title, Cycles x, Cycles y) {
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
  // With several IPUs, the cycles by activity come from the critical IPU; they sum to the total cycles. The causes are means
  // over all IPUs.
  const std::string ofWhich = std::max(a.machine.ipus, b.machine.ipus) > 1 ? ", critical IPU" : "";
  const auto part = [&](const char* key, const std::string& title, Cycles x, Cycles y) { cycles(key, title + ofWhich, x, y); };
  part("cycles.compute", "Compute cycles", a.cycles.compute, b.cycles.compute);
  part("cycles.exchange", "Exchange cycles", a.cycles.exchange, b.cycles.exchange);
  part("cycles.sync", "Sync cycles", a.cycles.sync, b.cycles.sync);
  part("cycles.host", "Host stream cycles", a.cycles.host, b.cycles.host);
  if (a.cycles.hiddenHost != Cycles() || b.cycles.hiddenHost != Cycles())
    part("cycles.hidden_host", "Hidden host stream cycles", a.cycles.hiddenHost, b.cycles.hiddenHost);
  part("cycles.idle", "Idle cycles", a.cycles.idle, b.cycles.idle);
  addFigure(list, "flops", "FLOPs", Unit::Flops, double(a.flops.value()), double(b.flops.value()));
  bytes("memory.total_bytes", "Memory, all tiles", a.memory.total, b.memory.total);
  bytes("memory.total_with_gaps_bytes", "Memory including gaps", a.memory.totalWithGaps, b.memory.totalWithGaps);
  bytes("memory.max_tile_bytes", "Fullest tile", a.memory.fullestWithoutGaps.bytes, b.memory.fullestWithoutGaps.bytes);
  bytes("memory.always_live_bytes", "Always live", a.memory.alwaysLive, b.memory.alwaysLive);
  bytes("memory.peak_not_always_live_bytes", "Peak not always live", a.memory.peakNotAlwaysLive, b.memory.peakNotAlwaysLive);
  count("memory.overflow_tiles", "Tiles out of memory", a.memory.overflowTiles, b.memory.overflowTiles);
  if (a.valuesNotFinite > 0 || b.valuesNotFinite > 0)
    count("values_not_finite", "NaN or infinite values", a.valuesNotFinite, b.valuesNotFinite);
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

// Why the base lacks a figure, or else why the other report does; empty if both have it.
std::string missingOf(const std::string& key, const Summary& a, const Summary& b) {
  for (const Summary* s : {&a, &b})
    if (const std::string why = summary::missingFigure(*s, key); !why.empty()) return s->identity.path + ": " + why;
  return {};
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
    if (d.base != d.other) list.push_back(std::move(d));
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

// Metadata that describes the work. The date of the report and its command line are left out, because they are not differences of
// the program.
Facts metadataFacts(const Summary& s) {
  static const std::set<std::string> kNotCompared{"command_line", "created_utc", "complete",         "page_checksums",
                                                  "title",        "host",        "working_directory"};
  Facts facts;
  for (const auto& [key, value] : s.metadata)
    if (!kNotCompared.contains(key)) facts[key] = value;
  return facts;
}

bool hasEffectiveOptions(const Facts& facts) {
  return std::any_of(facts.begin(), facts.end(), [](const auto& fact) { return isEffectiveOption(fact.first); });
}

// Cycles, time and FLOPs are for all samples of the run; bytes are for one micro-batch. Counts do not depend on samples.
void addPerSample(std::vector<Figure>& figures, const SampleCounts& base, const SampleCounts& other) {
  for (Figure& f : figures) {
    if (!hasSamples(f.unit)) continue;
    const auto &a = f.unit == Unit::Bytes ? base.batch : base.run, &b = f.unit == Unit::Bytes ? other.batch : other.run;
    if (!a || !b) continue;
    f.basePerSample = f.base / double(*a), f.otherPerSample = f.other / double(*b);
  }
}

// A damaged report may hold any value; the sum then stays within the range of Bytes.
Bytes streamedBytes(Session& session, const std::stop_token& stop) {
  constexpr double kMost = 9e18;
  double sum = 0;
  session.reader().forEach<reports::StreamCopyRow>(
      "", {}, [&](const reports::StreamCopyRow& row) { sum += double(row.bytes) * double(row.executions); }, stop);
  return Bytes(int64_t(std::clamp(sum, 0.0, kMost)));
}

// For one IPU, the cycles of the summary. For several, the tile-cycles of all steps / tiles; the rest of the runs is idle.
MeanCycles meanCycles(Session& session, const summary::Summary& summary, const std::stop_token& stop) {
  const auto& c = summary.cycles;
  const MeanCycles ofSummary{double((c.compute + c.exchange).value()), double(c.host.value()), double(c.sync.value()),
                             double(c.idle.value())};
  const Machine& machine = session.machine();
  if (machine.ipus < 2) return ofSummary;
  using trace::TileTime;
  const trace::TileCycles all = trace::tileCyclesOfRuns(session, stop);
  const auto mean = [&](TileTime kind) { return double(all[kind]) / double(machine.tiles()); };
  MeanCycles means{mean(TileTime::Busy) + mean(TileTime::Unused) + mean(TileTime::Imbalance) + mean(TileTime::Exchange),
                   mean(TileTime::Host), mean(TileTime::Sync), 0};
  means.idle = double(c.total.value()) - means.work - means.host - means.sync;
  return means.idle < 0 ? ofSummary : means; // the steps have more cycles than the runs
}

void noteWhatIsMissing(const Side& a, const Side& b, Comparison& c) {
  const auto note = [&](bool missing, std::string words) {
    if (missing) c.notCompared.push_back(std::move(words));
  };
  const bool oneKnows = bool(a.samples.run) != bool(b.samples.run);
  note(oneKnows,
       std::string("figures per sample: the ") + (a.samples.run ? "other" : "base") + " does not state its number of samples");
  const Machine &x = a.summary.machine, &y = b.summary.machine;
  note(x.tiles() == 0 && y.tiles() == 0, "the timelines of the host");
  note(x.tiles() != y.tiles(), "memory tile by tile: " + formatCount(x.tiles()) + " and " + formatCount(y.tiles()) + " tiles");
  note(x.ipus != y.ipus, "cycles in the table Operations against the run: they add up the steps of " + formatCount(x.ipus) +
                             " and " + formatCount(y.ipus) + " IPUs");
  note(a.operations.rows.empty() != b.operations.rows.empty(),
       std::string("operations: the ") + (a.operations.rows.empty() ? "base" : "other") + " lists none");
  note(a.summary.memory.total == Bytes() && b.summary.memory.total != Bytes(), "memory: the base has none");
  note(b.summary.memory.total == Bytes() && a.summary.memory.total != Bytes(), "memory: the other has none");
  const bool isBaseTooLarge = a.summary.outOfMemory, isOtherTooLarge = b.summary.outOfMemory;
  const char* words = isBaseTooLarge && isOtherTooLarge ? "neither program fits; their"
                      : isBaseTooLarge                  ? "the base does not fit; its"
                                                        : "the other does not fit; its";
  note(isBaseTooLarge || isOtherTooLarge, std::string("values: ") + words + " cycles assume a machine with enough memory");
  for (const auto& o : c.operations) c.pairedByLikeness += o.confidence < 1;
}

} // namespace

std::optional<double> Amounts::relative() const {
  if (base == 0) return std::nullopt;
  return difference() / base;
}

std::optional<double> Amounts::relativePerSample() const {
  if (!basePerSample || !otherPerSample || *basePerSample == 0) return std::nullopt;
  const double change = *otherPerSample / *basePerSample - 1;
  if (std::abs(change - difference() / base) < 1e-12) return std::nullopt;
  return change;
}

std::vector<std::pair<std::string, Unit>> figureKeys() {
  Summary any;
  any.cycles.hiddenHost = Cycles(1); // so that the figures that only some reports have are listed, too
  any.valuesNotFinite = 1;
  std::vector<std::pair<std::string, Unit>> keys;
  for (const Figure& f : totalsOf(any, any)) keys.emplace_back(f.key, f.unit);
  keys.emplace_back(kHostSeconds, Unit::Seconds);
  keys.emplace_back(kHostBytes, Unit::Bytes);
  keys.emplace_back(kHostCount, Unit::Count);
  return keys;
}

bool Comparison::samplesDiffer() const { return baseSamples.run && otherSamples.run && *baseSamples.run != *otherSamples.run; }

bool Comparison::empty() const {
  const auto same = [](const Figure& f) { return f.base == f.other; };
  return std::all_of(totals.begin(), totals.end(), same) && std::all_of(memoryByCategory.begin(), memoryByCategory.end(), same) &&
         std::all_of(labels.begin(), labels.end(),
                     [](const LabelDifference& d) { return d.difference() == 0 && d.baseCount == d.otherCount; }) &&
         operations.empty() && variables.empty() && machine.empty() && options.empty() && metadata.empty();
}

namespace {

// Compares two host traces, which have no device: their labels, and the time from the first slice to the last. Profiles of
// another value are compared by that value.
void compareHosts(Session& base, Session& other, Comparison& c, const std::stop_token& stop) {
  HostDifference host = hostDifference(base, other, stop);
  c.labels = std::move(host.labels), c.labelUnit = host.unit;
  c.verdict = std::move(host.verdict);
  const bool isTime = host.unit == Unit::Seconds;
  const auto figure = [&](int64_t amount) { return isTime ? inSeconds(Nanoseconds(amount)) : double(amount); };
  if (host.value.empty())
    addFigure(c.totals, kHostSeconds, "Host time", Unit::Seconds, figure(host.base), figure(host.other));
  else
    addFigure(c.totals,
              isTime                     ? kHostSeconds
              : host.unit == Unit::Bytes ? kHostBytes
                                         : kHostCount,
              host.value, host.unit, figure(host.base), figure(host.other));
  const auto change = [&](int64_t by) {
    return host.unit == Unit::Bytes   ? formatSignedBytes(Bytes(by))
           : host.unit == Unit::Count ? formatSignedCount(by)
                                      : (by > 0 ? "+" : "") + formatNanoseconds(Nanoseconds(by));
  };
  for (const LabelDifference& d : c.labels) {
    if (d.difference() == 0 && d.baseCount == d.otherCount) continue;
    Finding f;
    f.cause = Cause::HostLabel, f.key = "label:" + d.label, f.unit = host.unit;
    f.base = figure(d.base), f.other = figure(d.other);
    f.effect = host.base > 0 ? double(d.difference()) / double(host.base) : 0;
    f.title = d.label;
    if (!host.value.empty()) {
      f.text << Sentence::Name{d.label} << " " << change(d.difference());
      c.findings.push_back(std::move(f));
      continue;
    }
    if (d.baseCount != d.otherCount)
      f.reason << d.otherCount << " instead of " << d.baseCount << (d.baseCount == 1 ? " call" : " calls");
    else if (d.baseCount > 1)
      f.reason << change(d.otherMean - d.baseMean) << " in each of " << d.baseCount << " calls";
    f.text << Sentence::Name{d.label} << " " << change(d.difference());
    if (!f.reason.empty()) (f.text << ": ").append(f.reason);
    c.findings.push_back(std::move(f));
  }
}

} // namespace

Comparison compare(Session& base, Session& other, std::stop_token stop, const PairingRules& rules) {
  const auto read = [&](Session& session) {
    return inReport(session, [&] {
      auto summary = summary::summarise(session, stop);
      const MeanCycles cycles = meanCycles(session, summary, stop);
      return Side{std::move(summary), operations::operations(session, stop), sampleCounts(session), cycles,
                  streamedBytes(session, stop)};
    });
  };
  const Side a = read(base), b = read(other);
  Comparison c;
  c.base = base.identity(), c.other = other.identity();
  c.baseSamples = a.samples, c.otherSamples = b.samples;
  c.totals = totalsOf(a.summary, b.summary);
  c.memoryByCategory = categoriesOf(a.summary, b.summary);
  c.baseFits = a.summary.fits();
  c.otherFits = b.summary.fits();
  const std::string categories = "memory.by_category.";
  for (Figure& f : c.totals) f.missing = missingOf(f.key, a.summary, b.summary);
  for (Figure& f : c.memoryByCategory) f.missing = missingOf(categories + f.key, a.summary, b.summary);
  c.missingCategories = missingOf(categories, a.summary, b.summary);
  addPerSample(c.totals, a.samples, b.samples);
  addPerSample(c.memoryByCategory, a.samples, b.samples);
  if ((a.summary.machine.tiles() == 0) != (b.summary.machine.tiles() == 0)) {
    judge(c, a.summary, b.summary);
    return c;
  }
  const auto all = alignOperations(a, b, rules);
  const PeakOwners peak = alignVariables(base, other, all, nameBeginnings(a.operations, b.operations), c, stop);
  for (const auto& o : all)
    if (o.same())
      c.sameOperations.push_back(o.name);
    else
      c.operations.push_back(o);
  std::stable_sort(c.operations.begin(), c.operations.end(), [](const OperationDifference& x, const OperationDifference& y) {
    const auto effect = [](const OperationDifference& d) {
      return std::pair(std::abs(d.cycles().value()), std::abs(d.bytes().value()));
    };
    return effect(x) > effect(y);
  });
  c.machine = differing(machineFacts(a.summary.machine), machineFacts(b.summary.machine));
  c.options = differing(optionFacts(a.summary), optionFacts(b.summary));
  Facts factsOfBase = metadataFacts(a.summary), factsOfOther = metadataFacts(b.summary);
  if (!hasEffectiveOptions(factsOfBase) || !hasEffectiveOptions(factsOfOther))
    for (Facts* facts : {&factsOfBase, &factsOfOther})
      std::erase_if(*facts, [](const auto& fact) { return isEffectiveOption(fact.first); });
  c.metadata = differing(factsOfBase, factsOfOther);
  c.meansOfIpus = a.summary.machine.ipus > 1 || b.summary.machine.ipus > 1;
  c.findings = findingsOf(a, b, all, peak, c);
  noteWhatIsMissing(a, b, c);
  if (a.summary.machine.tiles() == 0)
    compareHosts(base, other, c, stop);
  else
    judge(c, a.summary, b.summary);
  return c;
}

CurvePair curves(Session& base, Session& other, std::stop_token stop) {
  CurvePair pair;
  pair.baseMemory = memory::tileMemory(base, memory::Breakdown::None, stop);
  pair.otherMemory = memory::tileMemory(other, memory::Breakdown::None, stop);
  pair.baseLiveness = liveness::liveness(base, "all", stop);
  pair.otherLiveness = liveness::liveness(other, "all", stop);
  return pair;
}

} // namespace analyser::compare
