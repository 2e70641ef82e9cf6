#include "app/cli/row_budgets.h"

#include "reports/core/error.h"

#include <algorithm>
#include <set>

namespace app::cli {

namespace {

using analyser::compare::Comparison;
using analyser::compare::OperationDifference;
using analyser::compare::Presence;

// op("name").field
struct RowKey {
  std::string table, name, field;
};

std::optional<RowKey> rowKey(const std::string& key) {
  const auto open = key.find("(\""), close = key.rfind("\").");
  if (open == std::string::npos || close == std::string::npos || close < open + 2) return std::nullopt;
  return RowKey{key.substr(0, open), key.substr(open + 2, close - open - 2), key.substr(close + 3)};
}

struct Values {
  double base = 0, other = 0;
};

std::optional<Values> operationValues(const OperationDifference& o, const std::string& field) {
  const auto of = [](auto a, auto b) { return Values{double(a.value()), double(b.value())}; };
  if (field == "cycles") return of(o.base.total(), o.other.total());
  if (field == "compute") return of(o.base.compute, o.other.compute);
  if (field == "exchange") return of(o.base.exchange, o.other.exchange);
  if (field == "sync") return of(o.base.sync, o.other.sync);
  if (field == "host") return of(o.base.host, o.other.host);
  if (field == "bytes") return of(o.base.memory(), o.other.memory());
  if (field == "code_bytes") return of(o.base.code, o.other.code);
  return std::nullopt;
}

// The single full name that equals `name` or ends with it: "mlp/fwd/fc1" for "fc1"; otherwise `name` itself.
template<class Row>
std::string fullName(const std::string& name, const std::vector<Row>& differing, const std::vector<std::string>& same) {
  std::set<std::string> found;
  const auto look = [&](const std::string& candidate) {
    if (candidate == name || candidate.ends_with("/" + name)) found.insert(candidate);
  };
  for (const Row& row : differing) look(row.name);
  for (const std::string& row : same) look(row);
  return found.size() == 1 && !found.contains(name) ? *found.begin() : name;
}

// Values of the row `name`; an unchanged row has a difference of 0.
template<class Row, class ValuesOf>
Values valuesOf(const Budget& budget, RowKey key, const char* what, const std::vector<Row>& differing,
                const std::vector<std::string>& same, const ValuesOf& values) {
  key.name = fullName(key.name, differing, same);
  const auto refuse = [&](const std::string& why, const std::string& advice) {
    throw reports::Error(reports::ErrorCode::NotFound, why, "--fail-if " + budget.text, advice);
  };
  const auto it = std::find_if(differing.begin(), differing.end(), [&](const Row& row) { return row.name == key.name; });
  const bool isSame = std::find(same.begin(), same.end(), key.name) != same.end();
  if (it == differing.end() && !isSame)
    refuse(std::string("no ") + what + " is called '" + key.name + "'", "give the full name, or its last part if that is unique");
  if (it != differing.end() && it->presence == Presence::BaseOnly)
    refuse(std::string("the ") + what + " '" + key.name + "' is only in the base", "if it was renamed, pair it with --pair");
  const auto found = values(it == differing.end() ? Row{} : *it, key.field);
  if (!found) refuse("'" + key.field + "' is not a measure of one " + what, {});
  return *found;
}

// The figure of a label in two host traces, summed over all channels with the label.
BudgetFigure labelFigure(const Budget& budget, const RowKey& key, const Comparison& c) {
  using analyser::compare::Unit;
  Values amount, calls;
  bool isFound = false;
  for (const auto& d : c.labels) {
    if (d.label != key.name) continue;
    isFound = true;
    amount.base += double(d.base), amount.other += double(d.other);
    calls.base += double(d.baseCount), calls.other += double(d.otherCount);
  }
  const auto refuse = [&](const std::string& why, const std::string& advice) {
    throw reports::Error(reports::ErrorCode::NotFound, why, "--fail-if " + budget.text, advice);
  };
  if (!isFound)
    refuse("no label of the hosts is called '" + key.name + "'",
           c.labels.empty() ? "labels are compared if both reports are traces of hosts" : "give its full name");
  const auto seconds = [](double total, double count) { return count > 0 ? total * 1e-9 / count : 0; };
  const bool isTime = c.labelUnit == Unit::Seconds;
  const std::string value = c.labelUnit == Unit::Bytes ? "bytes" : "count"; // the name of the field if it is not a time
  Values v;
  if (isTime && key.field == "seconds")
    v = {seconds(amount.base, 1), seconds(amount.other, 1)};
  else if (isTime && key.field == "mean_seconds")
    v = {seconds(amount.base, calls.base), seconds(amount.other, calls.other)};
  else if (isTime && key.field == "calls")
    v = calls;
  else if (!isTime && key.field == value)
    v = amount;
  else
    refuse("'" + key.field + "' is not a measure of a label",
           isTime ? "use seconds, mean_seconds or calls" : "for these profiles use " + value);
  BudgetFigure figure{budget.key, v.other - v.base, {}, {}};
  if (v.base != 0) figure.relative = figure.value / v.base;
  return figure;
}

} // namespace

void addRowFigures(const std::vector<Budget>& budgets, const Comparison& c, std::vector<BudgetFigure>& figures) {
  for (const Budget& budget : budgets) {
    const auto key = rowKey(budget.key);
    if (key && key->table == "label") {
      figures.push_back(labelFigure(budget, *key, c));
      continue;
    }
    if (!key || (key->table != "op" && key->table != "var")) continue;
    const auto variableValues = [](const analyser::compare::VariableDifference& v, const std::string& field) {
      return field == "bytes" ? std::optional<Values>({double(v.base.value()), double(v.other.value())}) : std::nullopt;
    };
    const Values v = key->table == "op" ? valuesOf(budget, *key, "operation", c.operations, c.sameOperations, operationValues)
                                        : valuesOf(budget, *key, "variable", c.variables, c.sameVariables, variableValues);
    BudgetFigure figure;
    figure.key = budget.key;
    figure.value = v.other - v.base;
    if (v.base != 0) figure.relative = figure.value / v.base;
    figures.push_back(std::move(figure));
  }
}

} // namespace app::cli
