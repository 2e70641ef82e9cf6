#include "analyser/compare/findings.h"

#include "analyser/session/format.h"

#include <algorithm>
#include <cmath>

namespace analyser::compare {

namespace {

// An operation that explains this part of what its kind moved is a finding of its own.
constexpr double kOwnShare = 0.2;
// So few operations of a kind are findings of their own each.
constexpr std::size_t kFewOfKind = 3;
// Fewer pairs of a kind say nothing about what all of the kind share.
constexpr std::size_t kLeastForFactor = 8;
// An operation stands out of its kind if its factor is this many median deviations above the kind's, and at least this much.
constexpr double kDeviations = 4, kLeastOut = 0.03;
// Less than this part of the whole is not put first.
constexpr double kLeastWorse = 0.00005;
constexpr std::size_t kPlanWidth = 60;

// Cycles that are an operation's own work; its syncs and streams are causes by themselves.
double workOf(const OperationCost& c) { return double((c.compute + c.exchange).value()); }

// An operation's cycles are sums over the IPUs; the run's are not. The mean of the IPUs is a part of the run.
std::vector<OperationDifference> meansOfIpus(std::vector<OperationDifference> all, int baseIpus, int otherIpus) {
  const auto divide = [](OperationCost& cost, int ipus) {
    for (Cycles* c : {&cost.compute, &cost.exchange, &cost.sync, &cost.host}) *c = Cycles(c->value() / std::max(1, ipus));
  };
  for (auto& o : all) divide(o.base, baseIpus), divide(o.other, otherIpus);
  return all;
}

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
  double wholeCycles() const { return double(m_base.summary.cycles.total.value()); }

  void addActivities() {
    const MeanCycles &a = m_base.cycles, &b = m_other.cycles;
    const auto activity = [&](Cause cause, const char* key, const char* name, double x, double y, const Sentence& reason) {
      add(make(cause, key, name, Unit::Cycles, x, y, wholeCycles()), reason);
    };
    activity(Cause::HostStreams, "cycles.host", "host streams", a.host, b.host,
             samplesText().empty() ? streamedText() : samplesText());
    activity(Cause::Sync, "cycles.sync", "sync", a.sync, b.sync, stepsText());
    activity(Cause::Idle, "cycles.idle", "idle", a.idle, b.idle, {});
  }

  // The cycles of steps without an operation.
  void addRest(const std::vector<OperationDifference>& all) {
    double from = m_base.cycles.work, to = m_other.cycles.work;
    for (const auto& o : all) from -= workOf(o.base), to -= workOf(o.other);
    add(make(Cause::OutsideOperations, "cycles.outside_operations", "steps outside operations", Unit::Cycles, from, to,
             wholeCycles()));
  }

  std::vector<Finding> list;

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

// The operations of one kind, and what all of them share: with another batch each takes about so many times as long.
struct KindGroup {
  std::vector<const OperationDifference*> members;
  double factor = 1, deviation = 0; // median, and median distance from it; 0: too few pairs
  double base = 0, other = 0;
};

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::map<std::string, KindGroup> kindsOf(const std::vector<OperationDifference>& all, const Comparison& c) {
  std::map<std::string, KindGroup> kinds;
  for (const auto& o : all) {
    KindGroup& kind = kinds[o.kind];
    kind.members.push_back(&o);
    kind.base += workOf(o.base), kind.other += workOf(o.other);
  }
  if (!c.samplesDiffer()) return kinds;
  for (auto& [name, kind] : kinds) {
    std::vector<double> factors;
    for (const auto* o : kind.members)
      if (workOf(o->base) > 0 && workOf(o->other) > 0) factors.push_back(workOf(o->other) / workOf(o->base));
    if (factors.size() < kLeastForFactor) continue;
    kind.factor = medianOf(factors);
    for (double& f : factors) f = std::abs(f - kind.factor);
    kind.deviation = std::max(medianOf(std::move(factors)), kLeastOut * kind.factor / kDeviations);
  }
  return kinds;
}

// Cycles that an operation takes beyond what all of its kind share; 0 if it does not stand out.
double beyondKind(const OperationDifference& o, const KindGroup& kind) {
  if (kind.deviation == 0 || workOf(o.base) <= 0 || o.presence != Presence::Both) return 0;
  const double beyond = workOf(o.other) / workOf(o.base) - kind.factor;
  return beyond > kDeviations * kind.deviation ? beyond * workOf(o.base) : 0;
}

// At most about `width` characters of a text with the place in it where it begins to differ from another: what both begin with is cut.
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

// Puts `between` before all parts of a sentence but its first.
Sentence& nextPart(Sentence& text, const char* between = ", ") {
  if (!text.empty()) text << between;
  return text;
}

Sentence reasonOf(const OperationDifference& o) {
  if (o.presence == Presence::BaseOnly) return "only in the base";
  if (o.presence == Presence::OtherOnly) return "not in the base";
  Sentence text;
  const auto part = [&](const char* name, Cycles from, Cycles to) {
    if (from != to) nextPart(text) << name << Sentence::Change<Cycles>{to - from};
  };
  part("compute ", o.base.compute, o.other.compute);
  part("exchange ", o.base.exchange, o.other.exchange);
  if (!o.otherName.empty()) nextPart(text, "; ") << "renamed to " << Sentence::Name{o.otherName};
  if (o.base.plan != o.other.plan && !o.base.plan.empty() && !o.other.plan.empty())
    nextPart(text, "; ") << "plan: " << differingPart(o.other.plan, o.base.plan, kPlanWidth) << " instead of "
                         << differingPart(o.base.plan, o.other.plan, kPlanWidth);
  return text;
}

Sentence reasonOf(const std::vector<const OperationDifference*>& members) {
  int64_t gone = 0, made = 0, slower = 0, quicker = 0;
  for (const auto* o : members) {
    gone += o->presence == Presence::BaseOnly, made += o->presence == Presence::OtherOnly;
    if (o->presence != Presence::Both) continue;
    slower += workOf(o->other) > workOf(o->base), quicker += workOf(o->other) < workOf(o->base);
  }
  Sentence text;
  const auto part = [&](int64_t n, const char* words) {
    if (n > 0) nextPart(text) << n << words;
  };
  part(gone, " only in the base"), part(made, " not in the base"), part(slower, " take more"), part(quicker, " take less");
  return text;
}

void addOperation(Findings& out, const OperationDifference& o, const KindGroup& kind, double whole) {
  Finding f = out.make(Cause::Operation, o.name, o.name, Unit::Cycles, workOf(o.base), workOf(o.other), whole);
  Sentence reason;
  if (const double beyond = beyondKind(o, kind); beyond > kLeastWorse * whole) {
    f.standsOut = beyond / whole;
    reason << Sentence::Percent{beyond / (kind.factor * workOf(o.base))} << " beyond the other " << o.kind << " operations";
  }
  const Sentence parts = reasonOf(o);
  out.add(std::move(f), parts.empty() ? reason : nextPart(reason, "; ").append(parts));
}

void addKind(Findings& out, const std::string& name, const KindGroup& kind, double whole) {
  double moved = 0;
  for (const auto* o : kind.members) moved += std::abs(workOf(o->other) - workOf(o->base));
  KindGroup rest;
  for (const auto* o : kind.members) {
    const double own = std::abs(workOf(o->other) - workOf(o->base));
    if (kind.members.size() <= kFewOfKind || own > kOwnShare * moved || beyondKind(*o, kind) > kLeastWorse * whole) {
      addOperation(out, *o, kind, whole);
      continue;
    }
    rest.members.push_back(o);
    rest.base += workOf(o->base), rest.other += workOf(o->other);
  }
  if (rest.members.empty()) return;
  const bool isAll = rest.members.size() == kind.members.size();
  const std::string title = std::to_string(rest.members.size()) + (isAll ? " " : " other ") + name + " operations";
  out.add(out.make(Cause::OperationGroup, "kind:" + name, title, Unit::Cycles, rest.base, rest.other, whole),
          reasonOf(rest.members));
}

void addOperations(Findings& out, const std::vector<OperationDifference>& all, const Comparison& c) {
  for (const auto& [name, kind] : kindsOf(all, c)) addKind(out, name, kind, out.wholeCycles());
}

// The variable that moved most in the direction of its category.
Sentence largestVariable(const Comparison& c, reports::MemoryCategory category, bool isMore) {
  for (const auto& v : c.variables)
    if (v.category == category && (v.bytes() > Bytes()) == isMore)
      return Sentence("first of all ") << Sentence::Name{v.name} << " " << Sentence::Change<Bytes>{v.bytes()};
  return {};
}

// Bytes count by what the machine has: that is what they may run out of.
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

// One cause, named by the operation that changed most: where the peak moved to another step, gains and losses cancel out.
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
  const auto all = meansOfIpus(operations, base.summary.machine.ipus, other.summary.machine.ipus);
  out.addActivities();
  addOperations(out, all, comparison);
  out.addRest(all);
  addMemory(out, comparison, base);
  addPeak(out, peak, base);
  const auto rank = [](const Finding& f) { return std::pair(f.standsOut, std::abs(f.effect)); };
  std::stable_sort(out.list.begin(), out.list.end(), [&](const Finding& x, const Finding& y) { return rank(x) > rank(y); });
  return std::move(out.list);
}

} // namespace analyser::compare
