#include "analyser/compare/findings.h"

#include "analyser/compare/changed_work.h"
#include "analyser/session/format.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace analyser::compare {

namespace {

// An operation with at least this share of its kind's total change is a separate finding.
constexpr double kOwnShare = 0.2;
// If a kind has at most this many operations, each is a separate finding.
constexpr std::size_t kFewOfKind = 3;
// With fewer pairs of operations, a kind has no common factor.
constexpr std::size_t kLeastForFactor = 8;
// An operation stands out from its kind if its factor differs from the kind's by this many median deviations, and by at least
// kLeastOut.
constexpr double kDeviations = 4, kLeastOut = 0.03;
// At most the share kFew of a kind stands out, and each of these operations differs more than kGap times as much as any other.
constexpr double kFew = 0.01, kGap = 2;
// An operation that stands out is listed first if its change is at least kLeastWorse of all cycles; in a kind of kMany or more
// operations, kLeastWorseOfMany suffices.
constexpr double kLeastWorse = 0.05, kLeastWorseOfMany = 0.00001;
constexpr std::size_t kMany = 100;
// In kinds with kManySizes operations or more, each operation is compared with kNeighbours shorter and kNeighbours longer ones.
constexpr std::size_t kManySizes = 64, kNeighbours = 15;
constexpr std::size_t kPlanWidth = 60;
// A smaller difference of cycles is a rounding error of the sums.
constexpr double kRounding = 1e-3;

// Cycles of an operation's own work, as the mean of the IPUs. Operations of a kind scale alike in their work, not in their syncs.
double workOf(const OperationCost& c) { return c.meanCompute + c.meanExchange; }
// The cycles of an operation with its syncs, as the Operations view counts them; host streams are a cause of their own.
double cyclesOf(const OperationCost& c) { return workOf(c) + c.meanSync; }

Sentence::Part changeOf(Unit unit, double difference) {
  const auto whole = static_cast<int64_t>(std::llround(difference));
  if (unit == Unit::Bytes) return Sentence::Change<Bytes>{Bytes(whole)};
  return Sentence::Change<Cycles>{Cycles(whole)};
}

void addRelative(Sentence& text, double relative) { text << (relative > 0 ? "+" : "") << Sentence::Percent{relative}; }

class Findings {
public:
  Findings(const Side& base, const Side& other, const Comparison& comparison)
      : m_base(base), m_other(other), m_comparison(comparison) {}

  // A finding without its reason. The text begins "name +12 cycles (+3 %)".
  Finding make(Cause cause, std::string key, const std::string& name, Unit unit, double from, double to, double whole) const {
    Finding f;
    f.cause = cause, f.key = std::move(key), f.title = name, f.unit = unit, f.base = from, f.other = to;
    const auto& a = unit == Unit::Bytes ? m_comparison.baseSamples.batch : m_comparison.baseSamples.run;
    const auto& b = unit == Unit::Bytes ? m_comparison.otherSamples.batch : m_comparison.otherSamples.run;
    if (a && b) f.basePerSample = from / double(*a), f.otherPerSample = to / double(*b);
    f.effect = whole > 0 ? f.difference() / whole : 0;
    f.text << Sentence::Name{name} << " " << changeOf(unit, f.difference());
    if (const auto relative = f.relative()) f.text << " (", addRelative(f.text, *relative), f.text << ")";
    return f;
  }

  void add(Finding f, const Sentence& reason = {}) {
    if (f.difference() == 0) return;
    f.reason = reason;
    if (!reason.empty()) (f.text << ": ").append(reason);
    if (const auto relative = f.relativePerSample(); relative && samplesDiffer()) {
      f.text << (reason.empty() ? ": " : "; ") << "per sample ";
      addRelative(f.text, *relative);
    }
    list.push_back(std::move(f));
  }

  bool samplesDiffer() const { return m_comparison.samplesDiffer(); }
  // Whether the machine and all settings that affect every operation are equal. The number of samples may differ.
  bool areSettingsEqual() const {
    static constexpr std::string_view kChangeAll[] = {"precision", "pipeline_stages", "recomputation", "replicas"};
    const auto changesAll = [](const TextDifference& d) {
      return std::find(std::begin(kChangeAll), std::end(kChangeAll), d.key) != std::end(kChangeAll);
    };
    const auto& metadata = m_comparison.metadata;
    return m_comparison.machine.empty() && std::none_of(metadata.begin(), metadata.end(), changesAll);
  }
  // Whether the reports differ only in the graph and its number of samples, not in an option that could change plans.
  bool onlyGraphsDiffer() const {
    static constexpr std::string_view kOfGraph[] = {"workload", "samples", "batch_size"};
    const auto isOfGraph = [](const TextDifference& d) {
      return d.key.starts_with("pass.") || d.key.starts_with("tag.") ||
             std::find(std::begin(kOfGraph), std::end(kOfGraph), d.key) != std::end(kOfGraph);
    };
    const auto& metadata = m_comparison.metadata;
    return m_comparison.machine.empty() && m_comparison.options.empty() &&
           std::all_of(metadata.begin(), metadata.end(), isOfGraph);
  }
  double wholeCycles() const { return double(m_base.summary.cycles.total.value()); }
  double middleCycles() const { return std::max(1.0, std::sqrt(wholeCycles() * double(m_other.summary.cycles.total.value()))); }

  // `operations`: their syncs are part of their own causes.
  void addActivities(const std::vector<OperationDifference>& operations) {
    const MeanCycles &a = m_base.cycles, &b = m_other.cycles;
    // "mean_": the key names the mean over IPUs, because the total of the plain key belongs to the busiest IPU.
    const std::string mean = m_comparison.meansOfIpus ? "mean_" : "";
    const auto activity = [&](Cause cause, const char* key, const char* name, double x, double y, const Sentence& reason) {
      add(make(cause, mean + key, name, Unit::Cycles, x, y, wholeCycles()), reason);
    };
    activity(Cause::HostStreams, "cycles.host", "host streams", a.host, b.host,
             samplesText().empty() ? streamedText() : samplesText());
    double syncOfA = a.sync, syncOfB = b.sync;
    for (const auto& o : operations) syncOfA -= o.base.meanSync, syncOfB -= o.other.meanSync;
    if (std::abs(syncOfB - syncOfA) >= kRounding)
      activity(Cause::Sync, "cycles.sync", "sync outside operations", syncOfA, syncOfB, stepsText());
    activity(Cause::Idle, "cycles.idle", "idle", a.idle, b.idle, {});
  }

  // Adds the cycles of steps without an operation.
  void addRest(const std::vector<OperationDifference>& all) {
    double from = m_base.cycles.work, to = m_other.cycles.work;
    for (const auto& o : all) from -= workOf(o.base), to -= workOf(o.other);
    if (std::abs(to - from) < kRounding) return;
    add(make(Cause::OutsideOperations, "cycles.outside_operations", "steps outside operations", Unit::Cycles, from, to,
             wholeCycles()));
  }

  std::vector<Finding> list;
  std::set<const OperationDifference*> changed; // operations with changed work

private:
  Sentence samplesText() const {
    const auto &a = m_comparison.baseSamples.run, &b = m_comparison.otherSamples.run;
    if (!a || !b || *a == *b) return {};
    return Sentence() << *b << " instead of " << *a << " samples";
  }
  Sentence streamedText() const {
    const Bytes a = m_base.streamed, b = m_other.streamed;
    if (a == b || a == Bytes() || b == Bytes()) return {};
    return Sentence() << b << " instead of " << a << " streamed";
  }
  Sentence stepsText() const {
    const int64_t a = m_base.summary.graph.programSteps, b = m_other.summary.graph.programSteps;
    if (a == b) return {};
    return Sentence("the program has ") << b << " instead of " << a << " steps";
  }

  const Side &m_base, &m_other;
  const Comparison& m_comparison;
};

// The operations of one kind. When the batch changes, all operations of a kind scale by about the same factor.
struct KindGroup {
  std::vector<const OperationDifference*> members;
  // Few operations far from the common factor of their kind. Value: the factor of the other operations of a similar size.
  std::map<const OperationDifference*, double> standingOut;
};

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2; // exact, so that swapping the reports gives the inverse
}

bool isPaired(const OperationDifference& o) { return o.presence == Presence::Both && workOf(o.base) > 0 && workOf(o.other) > 0; }
double factorOf(const OperationDifference& o) { return std::log(workOf(o.other) / workOf(o.base)); }

// Cycles that an operation takes beyond the common factor of its kind, measured halfway between both reports, so that swapping
// the reports changes only the sign.
double beyondKind(const OperationDifference& o, double factor) {
  return workOf(o.other) / std::sqrt(factor) - workOf(o.base) * std::sqrt(factor);
}

// For each operation, the median factor of operations of about its length: a fixed cost weighs more in short ones.
std::vector<double> sharedFactors(const std::vector<const OperationDifference*>& bySize) {
  std::vector<double> factors, shared;
  for (const auto* o : bySize) factors.push_back(factorOf(*o));
  const std::size_t n = factors.size();
  if (n < kManySizes) return std::vector<double>(n, medianOf(factors));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t reach = std::max<std::size_t>(2, std::min({kNeighbours, i, n - 1 - i}));
    const std::size_t first = i < reach ? 0 : i - reach, end = std::min(n, i + reach + 1);
    shared.push_back(medianOf({factors.begin() + std::ptrdiff_t(first), factors.begin() + std::ptrdiff_t(end)}));
  }
  return shared;
}

void findStandingOut(KindGroup& kind) {
  std::vector<const OperationDifference*> pairs;
  for (const auto* o : kind.members)
    if (isPaired(*o) && isOwnWork(*o)) pairs.push_back(o);
  if (pairs.size() < kLeastForFactor) return;
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto* x, const auto* y) {
    return workOf(x->base) * workOf(x->other) < workOf(y->base) * workOf(y->other);
  });
  const std::vector<double> shared = sharedFactors(pairs);
  std::vector<double> distances;
  for (std::size_t i = 0; i < pairs.size(); ++i) distances.push_back(std::abs(factorOf(*pairs[i]) - shared[i]));
  const double least = std::max(kDeviations * medianOf(distances), kLeastOut), all = medianOf(shared);
  struct Out {
    double beyond, factor;
    const OperationDifference* operation;
  };
  std::vector<Out> out; // also operations in only one report
  const auto add = [&](const OperationDifference* o, double factor) {
    out.push_back({std::abs(beyondKind(*o, factor)), factor, o});
  };
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (distances[i] > least) add(pairs[i], std::exp(shared[i]));
  for (const auto* o : kind.members)
    if (!isPaired(*o)) add(o, std::exp(all));
  std::stable_sort(out.begin(), out.end(), [](const Out& x, const Out& y) { return x.beyond > y.beyond; });
  const auto most = std::max<std::size_t>(1, std::size_t(kFew * double(kind.members.size())));
  for (std::size_t n = std::min(most, out.size()); n > 0; --n)
    if (n == out.size() || out[n - 1].beyond > kGap * out[n].beyond) {
      for (std::size_t i = 0; i < n; ++i) kind.standingOut.emplace(out[i].operation, out[i].factor);
      return;
    }
}

std::map<std::string, KindGroup> kindsOf(const std::vector<OperationDifference>& all) {
  std::map<std::string, KindGroup> kinds;
  for (const auto& o : all) kinds[o.kind].members.push_back(&o);
  for (auto& [name, kind] : kinds) findStandingOut(kind);
  return kinds;
}

// An excerpt of a text, about `width` characters at most, that shows where the text differs from `from`: the common beginning is
// cut off.
std::string differingPart(const std::string& text, const std::string& from, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t same = std::size_t(
      std::mismatch(text.begin(), text.begin() + std::ptrdiff_t(std::min(text.size(), from.size())), from.begin()).first -
      text.begin());
  while (same > 0 && text[same - 1] != ' ' && text[same - 1] != ':') --same; // whole words
  const std::size_t begin = same < width / 2 ? 0 : same;
  const std::string rest = text.substr(begin);
  return (begin > 0 ? "… " : "") + (rest.size() <= width ? rest : elideEnd(rest, width));
}

// Puts `between` before all parts of a sentence except the first.
Sentence& nextPart(Sentence& text, const char* between = ", ") {
  if (!text.empty()) text << between;
  return text;
}

// A plan without its predictions: those numbers follow from the rest.
std::string withoutPrediction(const std::string& plan) { return plan.substr(0, plan.find("; ")); }

Sentence reasonOf(const OperationDifference& o) {
  if (o.presence == Presence::BaseOnly) return "gone";
  if (o.presence == Presence::OtherOnly) return "new";
  Sentence text;
  const auto part = [&](const char* name, double change) {
    if (const auto whole = std::llround(change); whole != 0) nextPart(text) << name << Sentence::Change<Cycles>{Cycles(whole)};
  };
  const double between = o.other.meanBetweenIpus - o.base.meanBetweenIpus;
  part("compute ", o.other.meanCompute - o.base.meanCompute);
  part(between == 0 ? "exchange " : "exchange within IPUs ", o.other.meanExchange - o.base.meanExchange - between);
  part("exchange between IPUs ", between);
  part("sync ", o.other.meanSync - o.base.meanSync);
  if (!o.otherName.empty()) nextPart(text, "; ") << "renamed to " << Sentence::Name{o.otherName};
  const std::string from = withoutPrediction(o.base.plan), to = withoutPrediction(o.other.plan);
  if (from != to && !from.empty() && !to.empty())
    nextPart(text, "; ") << "plan: " << differingPart(to, from, kPlanWidth) << " instead of "
                         << differingPart(from, to, kPlanWidth);
  return text;
}

Sentence reasonOf(const std::vector<const OperationDifference*>& members) {
  int64_t gone = 0, made = 0, slower = 0, quicker = 0;
  for (const auto* o : members) {
    gone += o->presence == Presence::BaseOnly, made += o->presence == Presence::OtherOnly;
    if (o->presence != Presence::Both) continue;
    slower += cyclesOf(o->other) > cyclesOf(o->base), quicker += cyclesOf(o->other) < cyclesOf(o->base);
  }
  Sentence text;
  const auto part = [&](int64_t n, const char* words) {
    if (n > 0) nextPart(text) << n << words;
  };
  part(gone, " gone"), part(made, " new");
  part(slower, slower == 1 ? " takes more" : " take more"), part(quicker, quicker == 1 ? " takes less" : " take less");
  return text;
}

// The changed work in words: "Softmax instead of Relu", "FLOPs +700 %". Empty if only one report has the operation, because
// reasonOf() says so.
Sentence workText(const OperationDifference& o, bool samplesDiffer) {
  Sentence text;
  if (o.presence != Presence::Both) return text;
  if (!o.baseKind.empty()) text << o.kind + " instead of " + o.baseKind;
  if (o.base.flops.value() > 0 && o.other.flops != o.base.flops && !samplesDiffer) {
    nextPart(text) << "FLOPs ";
    addRelative(text, double(o.other.flops.value()) / double(o.base.flops.value()) - 1);
  }
  return text;
}

void addOperation(Findings& out, const OperationDifference& o, const KindGroup& kind) {
  Finding f = out.make(Cause::Operation, o.name, o.name, Unit::Cycles, cyclesOf(o.base), cyclesOf(o.other), out.wholeCycles());
  f.baseId = o.baseId, f.otherId = o.otherId;
  Sentence reason;
  if (out.changed.contains(&o)) {
    f.isChangedWork = true;
    f.standsOut = std::abs(f.difference()) / out.middleCycles();
    reason = workText(o, out.samplesDiffer());
  } else if (const auto found = kind.standingOut.find(&o);
             found != kind.standingOut.end() && (out.samplesDiffer() ? out.areSettingsEqual() : out.onlyGraphsDiffer())) {
    const double factor = found->second, beyond = std::abs(beyondKind(o, factor)) / out.middleCycles();
    if (beyond > (kind.members.size() < kMany ? kLeastWorse : kLeastWorseOfMany)) f.standsOut = beyond;
    if (isPaired(o)) {
      const double more = std::exp(factorOf(o)) / factor - 1;
      reason << Sentence::Percent{std::abs(more)} << (more > 0 ? " beyond" : " below") << " the other " << o.kind
             << " operations";
    }
  }
  const Sentence parts = reasonOf(o);
  out.add(std::move(f), parts.empty() ? reason : nextPart(reason, "; ").append(parts));
}

// The title of several operations of a kind; operators of a model keep the name of their kind.
std::string manyOfKind(const std::string& kind) {
  if (kind == "CallCopy") return "copies of function calls";
  if (kind == "Stash") return "writes to the pipeline's stash";
  if (kind == "Restore") return "reads of the pipeline's stash";
  return kind + " operations";
}

void addKind(Findings& out, const std::string& name, const KindGroup& kind) {
  double moved = 0, base = 0, other = 0;
  for (const auto* o : kind.members) moved += std::abs(cyclesOf(o->other) - cyclesOf(o->base));
  std::vector<const OperationDifference*> rest;
  for (const auto* o : kind.members) {
    const double own = std::abs(cyclesOf(o->other) - cyclesOf(o->base));
    if (kind.members.size() <= kFewOfKind || own > kOwnShare * moved || kind.standingOut.contains(o) || out.changed.contains(o)) {
      addOperation(out, *o, kind);
      continue;
    }
    rest.push_back(o);
    base += cyclesOf(o->base), other += cyclesOf(o->other);
  }
  if (rest.empty()) return;
  const bool isAll = rest.size() == kind.members.size();
  const std::string title = std::to_string(rest.size()) + (isAll ? " " : " other ") + manyOfKind(name);
  out.add(out.make(Cause::OperationGroup, "kind:" + name, title, Unit::Cycles, base, other, out.wholeCycles()), reasonOf(rest));
}

void addOperations(Findings& out, const std::vector<OperationDifference>& all) {
  for (const auto& [name, kind] : kindsOf(all)) addKind(out, name, kind);
}

// The variable of the category that grew most (`isMore`) or shrank most.
Sentence largestVariable(const Comparison& c, reports::MemoryCategory category, bool isMore) {
  for (const auto& v : c.variables)
    if (v.category == category && (v.bytes() > Bytes()) == isMore &&
        v.name != reports::memoryCategoryName(category)) // a variable without an operation has the name of its category
      return Sentence("first of all ") << Sentence::Name{v.name} << " " << Sentence::Change<Bytes>{v.bytes()};
  return {};
}

// A change of memory is a share of the machine's memory, because that is the limit.
double machineBytes(const Side& side) {
  const auto& m = side.summary.memory;
  return double((m.available > Bytes() ? m.available : m.total).value());
}

void addMemory(Findings& out, const Comparison& c, const Side& base) {
  for (const Figure& f : c.memoryByCategory) {
    const auto category = reports::memoryCategoryFromName(f.key);
    out.add(out.make(Cause::MemoryCategory, "memory.by_category." + f.key, "memory, " + f.title, Unit::Bytes, f.base, f.other,
                     machineBytes(base)),
            category && f.difference() != 0 ? largestVariable(c, *category, f.difference() > 0) : Sentence());
  }
}

// Adds the peak as one finding, with the operation that changed most as its reason. Operations do not get separate findings,
// because gains and losses cancel out if the peak moved to another step.
void addPeak(Findings& out, const PeakOwners& peak, const Side& base) {
  double from = 0, to = 0, largest = 0;
  Sentence most;
  for (const auto& [operation, bytes] : peak.bytes) {
    from += double(bytes.first.value()), to += double(bytes.second.value());
    const Bytes change = bytes.second - bytes.first;
    if (std::abs(double(change.value())) <= std::abs(largest)) continue;
    largest = double(change.value());
    most = Sentence("most changed: ");
    most << Sentence::Name{operation.empty() ? "variables outside operations" : operation} << " "
         << Sentence::Change<Bytes>{change};
  }
  out.add(out.make(Cause::PeakOwner, "memory.peak", "alive at the peak", Unit::Bytes, from, to, machineBytes(base)), most);
}

} // namespace

std::vector<Finding> findingsOf(const Side& base, const Side& other, const std::vector<OperationDifference>& operations,
                                const PeakOwners& peak, const Comparison& comparison) {
  Findings out(base, other, comparison);
  if (out.onlyGraphsDiffer()) out.changed = changedWork(operations, comparison.samplesDiffer());
  out.addActivities(operations);
  addOperations(out, operations);
  out.addRest(operations);
  addMemory(out, comparison, base);
  addPeak(out, peak, base);
  const auto rank = [](const Finding& f) { return std::tuple(f.isChangedWork, f.standsOut, std::abs(f.effect)); };
  std::stable_sort(out.list.begin(), out.list.end(), [&](const Finding& x, const Finding& y) { return rank(x) > rank(y); });
  return std::move(out.list);
}

} // namespace analyser::compare
