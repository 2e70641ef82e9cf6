#include "analyser/compare/operation_pairs.h"

#include "analyser/compare/aligned.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace analyser::compare {

using operations::Operation;
using operations::Operations;

namespace {

const Operation* rowAt(const Operations& operations, int index) {
  return index < 0 ? nullptr : &operations.rows[std::size_t(index)];
}

bool costsTheSame(const Operation& a, const Operation& b) {
  return a.compute == b.compute && a.exchange == b.exchange && a.sync == b.sync && a.host == b.host &&
         a.variableBytes == b.variableBytes && a.codeBytes == b.codeBytes;
}

} // namespace

OperationsOfBoth operationsOfBoth(const Operations& base, const Operations& other, std::vector<OperationPair> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const OperationPair& x, const OperationPair& y) {
    return x.inBase < 0 || y.inBase < 0 ? x.inBase >= 0 && y.inBase < 0 : x.inBase < y.inBase;
  });
  OperationsOfBoth both;
  const NameBeginnings beginnings = nameBeginnings(base, other);
  for (const OperationPair& pair : pairs) {
    const Operation* inBase = rowAt(base, pair.inBase);
    Operation& row = both.all.rows.emplace_back(inBase ? *inBase : other.rows[std::size_t(pair.inOther)]);
    if (!inBase) row.name = beginnings.base + withoutBeginning(row.name, beginnings.other); // grouped with the base's operations
  }
  both.pairs = std::move(pairs);
  return both;
}

OperationsOfBoth layersOfBoth(const Operations& base, const Operations& other) {
  std::map<std::string, std::vector<int>> inOther; // indices in descending order
  for (int i = int(other.rows.size()); i-- > 0;) inOther[other.rows[std::size_t(i)].name].push_back(i);
  std::vector<OperationPair> pairs;
  for (std::size_t i = 0; i < base.rows.size(); ++i) {
    auto& same = inOther[base.rows[i].name];
    pairs.push_back({base.rows[i].name, {}, int(i), same.empty() ? -1 : same.back()});
    if (!same.empty()) same.pop_back();
  }
  std::vector<int> left;
  for (const auto& [name, rows] : inOther) left.insert(left.end(), rows.begin(), rows.end());
  std::sort(left.begin(), left.end());
  for (const int i : left) pairs.push_back({other.rows[std::size_t(i)].name, {}, -1, i});
  return operationsOfBoth(base, other, std::move(pairs));
}

OperationsOfBoth apartByIpus(const OperationsOfBoth& both, const Operations& base, const Operations& other) {
  std::vector<OperationPair> pairs;
  for (const OperationPair& pair : both.pairs) {
    const Operation *a = rowAt(base, pair.inBase), *b = rowAt(other, pair.inOther);
    pairs.push_back(pair);
    if (!a || !b || a->ipus == b->ipus) continue;
    pairs.back().inOther = -1, pairs.back().otherName.clear();
    pairs.push_back({pair.otherName.empty() ? pair.name : pair.otherName, {}, -1, pair.inOther});
  }
  return operationsOfBoth(base, other, std::move(pairs));
}

Sentence operationsVerdict(const std::vector<OperationPair>& pairs, const Operations& base, const Operations& other,
                           const std::string& what) {
  if (pairs.empty()) return Sentence() << "Neither report lists " + what + ".";
  int64_t differ = 0, slower = 0, faster = 0, memoryOnly = 0;
  Cycles most;
  const std::string* name = nullptr;
  for (const OperationPair& pair : pairs) {
    const Operation *a = rowAt(base, pair.inBase), *b = rowAt(other, pair.inOther);
    const Cycles change = (b ? b->total : Cycles()) - (a ? a->total : Cycles());
    differ += !a || !b || !pair.otherName.empty() || !costsTheSame(*a, *b);
    slower += change > Cycles(), faster += change < Cycles();
    memoryOnly += a && b && change == Cycles() && (a->variableBytes != b->variableBytes || a->codeBytes != b->codeBytes);
    const Cycles amount(std::abs(change.value()));
    if (amount > Cycles(std::abs(most.value()))) most = change, name = &pair.name;
  }
  Sentence verdict;
  if (differ == 0) return verdict << "All " << int64_t(pairs.size()) << " " + what + " cost the same.";
  verdict << differ << " of " << int64_t(pairs.size()) << " " + what + " differ: " << slower << " slower, " << faster
          << " faster";
  if (memoryOnly > 0) verdict << ", " << memoryOnly << " with the same cycles but other memory";
  if (const int64_t rest = differ - slower - faster - memoryOnly; rest > 0) // other parts of the same sum, or another name
    verdict << ", " << rest << " with the same cycles and memory but another name or other parts";
  if (name) verdict << "; most " << Sentence::Name{*name} << " " << Sentence::Change<Cycles>{most};
  return verdict << ".";
}

} // namespace analyser::compare
