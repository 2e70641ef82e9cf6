#include "analyser/compare/aligned.h"

#include "analyser/session/debug_contexts.h"
#include "analyser/session/in_report.h"
#include "reports/sqlite/reader.h"

#include <cstdlib>
#include <tuple>

namespace analyser::compare {

namespace {

struct SeenVariable {
  reports::VariableId id;
  std::string name, operation; // operation: its name in the base
  std::string ownOperation;    // its name in the variable's own report
  reports::MemoryCategory category{};
  Bytes bytes;
  bool atPeak = false;
};

// Operation (its name in the base), name of the variable within the operation, and a number for variables that share both.
using VariableKey = std::tuple<std::string, std::string, int>;

std::optional<int64_t> peakStep(Session& session) {
  const auto row = session.reader().first<reports::LivenessCurveRow>("scope = 'all'");
  if (!row) return std::nullopt;
  return row->peakStep;
}

bool isAliveAt(const reports::VariableRow& row, int64_t step) {
  const auto ends =
      reports::unpackDeltas(row.liveIntervals, static_cast<std::size_t>(row.liveIntervalCount) * 2, "variable.live_intervals");
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2)
    if (ends[i] <= step && step < ends[i + 1]) return true;
  return false;
}

// The variable's name within its operation: "fc1/weights" of "fc1" is "weights", so that a renamed operation keeps its variables.
std::string within(const std::string& operation, const std::string& name) {
  if (operation.empty() || !name.starts_with(operation)) return name;
  return name.substr(operation.size());
}

// Translates the operation names of one side to those of the base. All names of the side begin with `beginning`, those of the
// base with `baseBeginning`; `renamed` lists the other differences.
struct Names {
  std::unordered_map<std::string, std::string> renamed;
  std::string beginning, baseBeginning;
  std::string ofBase(const std::string& operation) const {
    const auto found = renamed.find(operation);
    if (found != renamed.end()) return found->second;
    return operation.starts_with(beginning) ? baseBeginning + operation.substr(beginning.size()) : operation;
  }
};

std::map<VariableKey, SeenVariable> readVariables(Session& session, const Names& names, const std::stop_token& stop) {
  const OperationNames operations(session, stop);
  const auto peak = peakStep(session);
  std::map<VariableKey, SeenVariable> all;
  std::unordered_map<std::string, int> seen;
  session.reader().forEach<reports::VariableRow>(
      {}, {},
      [&](const reports::VariableRow& row) {
        SeenVariable v;
        v.id = reports::VariableId(std::size_t(row.id));
        v.name = session.text(row.nameId);
        const std::string& own = operations.of(row.debugContextId);
        v.ownOperation = own;
        v.operation = names.ofBase(own);
        if (row.category >= 0 && row.category < reports::kMemoryCategoryCount)
          v.category = static_cast<reports::MemoryCategory>(row.category);
        v.bytes = Bytes(row.totalBytes);
        v.atPeak = peak && !row.alwaysLive && isAliveAt(row, *peak);
        std::string local = withoutBeginning(within(own, v.name), names.beginning);
        const int number = ++seen[v.operation + '\n' + local];
        all.emplace(VariableKey(v.operation, std::move(local), number), std::move(v));
      },
      stop);
  return all;
}

} // namespace

PeakOwners alignVariables(Session& base, Session& other, const std::vector<OperationDifference>& operations,
                          const NameBeginnings& beginnings, Comparison& c, const std::stop_token& stop) {
  std::unordered_map<std::string, std::string> baseNames;
  for (const auto& o : operations)
    if (!o.otherName.empty()) baseNames.emplace(o.otherName, o.name);
  const auto inBase = inReport(base,
                               [&] {
                                 return readVariables(base, {{}, beginnings.base, beginnings.base}, stop);
                               }),
             inOther = inReport(other, [&] {
               return readVariables(other, {std::move(baseNames), beginnings.other, beginnings.base}, stop);
             });
  PeakOwners owners;
  const auto add = [&](const SeenVariable* a, const SeenVariable* b) {
    if (a && a->atPeak) owners.bytes[a->operation].first += a->bytes;
    if (b && b->atPeak) owners.bytes[b->operation].second += b->bytes;
    VariableDifference d;
    const SeenVariable& shown = a ? *a : *b;
    d.name = shown.name, d.operation = shown.ownOperation, d.category = shown.category;
    d.presence = a && b ? Presence::Both : a ? Presence::BaseOnly : Presence::OtherOnly;
    if (a) d.base = a->bytes, d.baseId = a->id;
    if (b) d.other = b->bytes, d.otherId = b->id;
    if (a && b && a->bytes == b->bytes)
      c.sameVariables.push_back(a->name);
    else
      c.variables.push_back(std::move(d));
  };
  for (const auto& [key, v] : inBase) {
    const auto it = inOther.find(key);
    add(&v, it == inOther.end() ? nullptr : &it->second);
  }
  for (const auto& [key, v] : inOther)
    if (!inBase.contains(key)) add(nullptr, &v);
  std::stable_sort(c.variables.begin(), c.variables.end(), [](const VariableDifference& x, const VariableDifference& y) {
    return std::abs(x.bytes().value()) > std::abs(y.bytes().value());
  });
  return owners;
}

} // namespace analyser::compare
