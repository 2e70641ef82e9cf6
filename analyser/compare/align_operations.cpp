#include "analyser/compare/aligned.h"

#include <algorithm>

namespace analyser::compare {

namespace {

std::string beginningOf(const operations::Operations& operations) {
  const auto& rows = operations.rows;
  if (rows.empty()) return {};
  const std::string first = rows.front().name.substr(0, rows.front().name.find('/') + 1); // empty if the name has no slash
  const bool ofAll = std::all_of(rows.begin(), rows.end(), [&](const auto& o) { return o.name.starts_with(first); });
  return ofAll ? first : std::string();
}

PairingRules withoutBeginnings(PairingRules rules, const std::string& base, const std::string& other) {
  for (auto& [of, with] : rules.together) of = withoutBeginning(of, base), with = withoutBeginning(with, other);
  std::set<std::string> apart;
  for (const std::string& name : rules.apart) apart.insert(withoutBeginning(name, name.starts_with(base) ? base : other));
  rules.apart = std::move(apart);
  return rules;
}

// Operations of the same name are distinguished by their number in program order.
std::vector<PairItem> itemsOf(const operations::Operations& operations, const SampleCounts& counts,
                              const std::string& beginning) {
  std::vector<PairItem> items;
  std::unordered_map<std::string, int> seen;
  const double samples = double(counts.run.value_or(1));
  for (const auto& o : operations.rows) {
    const int n = ++seen[o.name];
    const std::string name = withoutBeginning(o.name, beginning);
    items.push_back({n == 1 ? name : name + " #" + std::to_string(n), o.kind, double(o.flops.value()) / samples});
  }
  return items;
}

std::unordered_map<std::string, std::string> plansOf(const Side& side) {
  std::unordered_map<std::string, std::string> plans;
  for (const auto& p : side.summary.plans) {
    std::string& text = plans[p.operation];
    if (!text.empty()) text += "; ";
    text += p.text.empty() ? p.method : p.text;
  }
  return plans;
}

OperationCost costOf(const Side& side, const operations::Operation& o,
                     const std::unordered_map<std::string, std::string>& plans) {
  OperationCost cost;
  cost.compute = o.compute, cost.exchange = o.exchange, cost.sync = o.sync, cost.host = o.host;
  cost.variables = o.variableBytes, cost.code = o.codeBytes, cost.flops = o.flops;
  if (const auto plan = plans.find(o.name); plan != plans.end()) cost.plan = plan->second;
  cost.meanCompute = double(o.compute.value()), cost.meanExchange = double(o.exchange.value());
  cost.meanSync = double(o.sync.value());
  const Machine& machine = side.summary.machine;
  if (machine.ipus < 2) return cost;
  using trace::TileTime;
  const auto mean = [&](int64_t tileCycles) { return double(tileCycles) / double(machine.tiles()); };
  cost.meanCompute = mean(o.tileCycles[TileTime::Busy] + o.tileCycles[TileTime::Unused] + o.tileCycles[TileTime::Imbalance]);
  cost.meanExchange = mean(o.tileCycles[TileTime::Exchange]);
  cost.meanBetweenIpus = mean(o.betweenIpus);
  cost.meanSync = mean(o.tileCycles[TileTime::Sync]);
  return cost;
}

} // namespace

NameBeginnings nameBeginnings(const operations::Operations& base, const operations::Operations& other) {
  NameBeginnings both{beginningOf(base), beginningOf(other)};
  if (both.base.empty() || both.other.empty() || both.base == both.other) return {};
  return both;
}

std::string withoutBeginning(const std::string& name, const std::string& beginning) {
  return name.starts_with(beginning) ? name.substr(beginning.size()) : name;
}

bool OperationDifference::same() const {
  return presence == Presence::Both && base.compute == other.compute && base.exchange == other.exchange &&
         base.sync == other.sync && base.host == other.host && base.variables == other.variables && base.code == other.code &&
         base.plan == other.plan && otherName.empty();
}

std::vector<OperationPair> operationPairs(const operations::Operations& base, const SampleCounts& baseSamples,
                                          const operations::Operations& other, const SampleCounts& otherSamples,
                                          const PairingRules& rules) {
  const auto [ofBase, ofOther] = nameBeginnings(base, other);
  const auto inBase = itemsOf(base, baseSamples, ofBase), inOther = itemsOf(other, otherSamples, ofOther);
  const Pairing pairing = pairUp(inBase, inOther, withoutBeginnings(rules, ofBase, ofOther));
  std::vector<OperationPair> pairs;
  for (const Pair& p : pairing.pairs) {
    const PairItem &a = inBase[std::size_t(p.base)], &b = inOther[std::size_t(p.other)];
    pairs.push_back({ofBase + a.name, a.name == b.name ? std::string() : ofOther + b.name, p.base, p.other, p.confidence});
  }
  for (const int i : pairing.baseOnly) pairs.push_back({ofBase + inBase[std::size_t(i)].name, {}, i, -1});
  for (const int i : pairing.otherOnly) pairs.push_back({ofOther + inOther[std::size_t(i)].name, {}, -1, i});
  return pairs;
}

std::vector<OperationDifference> alignOperations(const Side& base, const Side& other, const PairingRules& rules) {
  const auto basePlans = plansOf(base), otherPlans = plansOf(other);
  std::vector<OperationDifference> list;
  for (const OperationPair& pair : operationPairs(base.operations, base.samples, other.operations, other.samples, rules)) {
    OperationDifference& d = list.emplace_back();
    d.name = pair.name, d.otherName = pair.otherName, d.presence = pair.presence(), d.confidence = pair.confidence;
    if (pair.inBase >= 0) {
      const auto& o = base.operations.rows[std::size_t(pair.inBase)];
      d.base = costOf(base, o, basePlans), d.baseId = o.id, d.kind = o.kind;
    }
    if (pair.inOther >= 0) {
      const auto& o = other.operations.rows[std::size_t(pair.inOther)];
      d.other = costOf(other, o, otherPlans), d.otherId = o.id;
      if (pair.inBase >= 0 && d.kind != o.kind) d.baseKind = d.kind;
      d.kind = o.kind;
    }
  }
  return list;
}

} // namespace analyser::compare
