#include "ui/views/operations/operations_reading.h"

#include "analyser/operations/sums.h"
#include "analyser/session/in_report.h"
#include "ui/tables/paired.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QObject>

#include <algorithm>

namespace ui::operations {

using analyser::compare::OperationPair;
using analyser::compare::OperationsOfBoth;
using analyser::operations::Operations;

namespace {

OperationsAnswer::OfReport readReport(analyser::Session& session, const std::stop_token& stop) {
  const auto costs = analyser::trace::tileCyclesBySteps(session, stop);
  OperationsAnswer::OfReport report{
      analyser::operations::operations(session, costs, stop), {}, analyser::operations::layersOf(session, stop)};
  report.steps = analyser::operations::operationSteps(session, report.operations, costs, stop);
  const auto tree = analyser::operations::ipuTree(report.operations);
  report.isOnSeveralIpus = std::count_if(tree.begin(), tree.end(), [](const auto& row) { return row.parent < 0; }) > 1;
  return report;
}

// Converts rows of a comparison to rows of one report. `isRow`: whether an entry is a row of `operations`, not a sum.
template<class IsRow>
std::vector<Entry> entriesIn(std::vector<Entry> entries, const std::vector<OperationPair>& pairs, Report report,
                             const Operations& operations, IsRow isRow) {
  for (Entry& entry : entries) {
    entry.pair = isRow(entry) ? entry.members.front() : -1;
    std::vector<int> members;
    for (const int pair : entry.members)
      if (const int row = report == InA ? pairs[std::size_t(pair)].inBase : pairs[std::size_t(pair)].inOther; row >= 0)
        members.push_back(row);
    std::sort(members.begin(), members.end());
    const std::string name = entry.values.name, kind = entry.values.kind;
    if (entry.pair >= 0 && !members.empty()) {
      entry.values = operations.rows[std::size_t(members.front())];
    } else {
      entry.values = analyser::operations::totalsOf(operations, members);
      entry.values.name = name, entry.values.kind = kind;
    }
    entry.operation = entry.operation >= 0 && !members.empty() ? members.front() : -1;
    entry.operations = int64_t(members.size());
    entry.members = std::move(members);
  }
  return entries;
}

std::vector<Entry> entriesOf(const Operations& operations, Rows rows) {
  switch (rows) {
  case Rows::All: return operationEntries(operations);
  case Rows::Tree: return treeEntries(analyser::operations::nameTree(operations));
  case Rows::ByIpu: return treeEntries(analyser::operations::ipuTree(operations));
  case Rows::ByKind: return kindEntries(operations);
  case Rows::Layer: break;
  }
  return layerEntries(operations);
}

ShownRows rowsOfBoth(const OperationsOfBoth& both, const Operations& a, const Operations& b, Rows rows) {
  const auto entries = entriesOf(both.all, rows);
  const auto isRow = [rows](const Entry& entry) { return rows == Rows::Layer || entry.operation >= 0; };
  return {{entriesIn(entries, both.pairs, InA, a, isRow), entriesIn(entries, both.pairs, InB, b, isRow)}, both.pairs};
}

QString nameOf(const ShownRows& rows, int64_t row, const QString& name) {
  const Entry *a = rows.at(row, InA), *b = rows.at(row, InB);
  if (!a || !b) return (a ? QObject::tr("%1 (only in A)") : QObject::tr("%1 (only in B)")).arg(name);
  const auto* pair = a->pair < 0 ? nullptr : &rows.pairs[std::size_t(a->pair)];
  if (!pair || pair->otherName.empty()) return name;
  return QObject::tr("%1 → %2 (%3 sure)").arg(name, theme::reportText(pair->otherName), theme::percent(pair->confidence));
}

// Adds columns for links of the previous version, whose comparison had memory and sync too: such links filter and order by their
// changes.
QStringList columnsOfBoth(QStringList columns) {
  for (const QString& id : {QStringLiteral("sync"), QStringLiteral("memory")})
    if (!columns.contains(id)) columns << id;
  return columns;
}

// A column of the reports that have the row, for filters, orders and files.
tables::Column columnOfReports() {
  tables::Column column;
  column.id = QStringLiteral("in"), column.title = QObject::tr("In");
  column.tip = QObject::tr("The reports that have the row"), column.isOptional = true;
  return column;
}

void addReports(const ShownRows& rows, int64_t at, tables::Row& row) {
  const bool inA = rows.at(at, InA), inB = rows.at(at, InB);
  row.cells.push_back(inA == inB ? QObject::tr("both") : inA ? QObject::tr("only A") : QObject::tr("only B"));
  if (!row.kinds.empty()) row.kinds.push_back(tables::Kind::Text);
}

std::vector<tables::RowPair> pairsOf(const ShownRows& rows) {
  std::vector<tables::RowPair> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i)
    pairs.push_back({rows.in[InA][i].parent, rows.at(int64_t(i), InA) ? int(i) : -1, rows.at(int64_t(i), InB) ? int(i) : -1});
  return pairs;
}

} // namespace

OperationsAnswer readOperations(const shell::ReportsOfView& reports, const analyser::compare::PairingRules& rules,
                                const std::stop_token& stop) {
  auto both = reports.each([&](analyser::Session& session) {
    return analyser::inReport(session,
                              [&] { return std::pair(readReport(session, stop), analyser::compare::sampleCounts(session)); });
  });
  OperationsAnswer answer;
  auto& [a, b] = answer.in;
  a = std::move(both.base.first);
  if (!both.other) return answer;
  b = std::move(both.other->first);
  answer.both = analyser::compare::operationsOfBoth(
      a.operations, b.operations,
      analyser::compare::operationPairs(a.operations, both.base.second, b.operations, both.other->second, rules));
  answer.byIpus = analyser::compare::apartByIpus(*answer.both, a.operations, b.operations);
  return answer;
}

LayerAnswer readLayer(const shell::ReportsOfView& reports, const std::string& layer, const std::stop_token& stop) {
  auto both = reports.each([&](analyser::Session& session) {
    return analyser::inReport(session, [&] { return analyser::operations::operationsOfLayer(session, layer, stop); });
  });
  LayerAnswer answer{layer, {std::move(both.base)}, {}};
  if (!both.other) return answer;
  answer.in[InB] = std::move(*both.other);
  answer.both = analyser::compare::layersOfBoth(answer.in[InA].operations, answer.in[InB].operations);
  return answer;
}

const Entry* ShownRows::at(int64_t row, Report report) const {
  if (row < 0 || std::size_t(row) >= in[report].size()) return nullptr;
  const Entry& entry = in[report][std::size_t(row)];
  return entry.members.empty() ? nullptr : &entry;
}

const Entry& ShownRows::shown(int64_t row) const {
  const Entry *a = at(row, InA), *b = at(row, InB);
  return a ? *a : b ? *b : in[InA][std::size_t(row)];
}

ShownRows rowsOf(const OperationsAnswer& answer, Rows rows) {
  const auto& [a, b] = answer.in;
  if (!answer.both) return {{entriesOf(a.operations, rows), {}}, {}};
  return rowsOfBoth(rows == Rows::ByIpu ? *answer.byIpus : *answer.both, a.operations, b.operations, rows);
}

ShownRows rowsOf(const LayerAnswer& answer) {
  const auto& [a, b] = answer.in;
  if (!answer.both) return {{layerEntries(a.operations), {}}, {}};
  return rowsOfBoth(*answer.both, a.operations, b.operations, Rows::Layer);
}

std::shared_ptr<const tables::Table> rowTable(const ShownRows& rows, const QString& first, const QStringList& columns) {
  if (!rows.areOfTwo()) return entryTable(rows.in[InA], first, columns);
  const QStringList all = columnsOfBoth(columns);
  auto table = tables::paired(entryTable(rows.in[InA], first, all), entryTable(rows.in[InB], first, all), pairsOf(rows),
                              {QStringLiteral("name")});
  table->columns.push_back(columnOfReports());
  for (tables::Row& row : table->rows) {
    auto& name = std::get<QString>(row.cells.front());
    name = nameOf(rows, row.id, name);
    addReports(rows, row.id, row);
  }
  return table;
}

std::shared_ptr<const tables::Tree> rowTree(const ShownRows& rows, const QStringList& columns) {
  if (!rows.areOfTwo()) return entryTree(rows.in[InA], columns);
  const QStringList all = columnsOfBoth(columns);
  auto tree =
      tables::paired(*entryTree(rows.in[InA], all), *entryTree(rows.in[InB], all), pairsOf(rows), {QStringLiteral("name")});
  tree->columns.push_back(columnOfReports());
  for (std::size_t i = 0; i < tree->rows.size(); ++i) {
    tree->rows[i].id = int64_t(i);
    auto& name = std::get<QString>(tree->rows[i].cells.front());
    name = nameOf(rows, int64_t(i), name);
    addReports(rows, int64_t(i), tree->rows[i]);
  }
  return tree;
}

} // namespace ui::operations
