#include "ui/views/operations/operations_tables.h"

#include "ui/shell/report_text.h"
#include "ui/shell/tile_time.h"
#include "ui/theme/theme.h"
#include "ui/views/operations/operation_columns.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ui::operations {

using reports::Activity;
using shell::reportText;
using tables::Kind;

namespace {
constexpr qsizetype kTerse = 8; // characters: a name this short says little without its kind
} // namespace

std::vector<Entry> operationEntries(const analyser::operations::Operations& operations) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < operations.rows.size(); ++i) entries.push_back({operations.rows[i], 1, int(i), {int(i)}});
  return entries;
}

std::vector<Entry> kindEntries(const analyser::operations::Operations& operations) {
  std::vector<Entry> entries;
  for (const auto& group : analyser::operations::group(operations, analyser::operations::GroupBy::Kind)) {
    Entry entry{group.totals, group.operations, -1, group.members};
    entry.values.name = group.name;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> treeEntries(const std::vector<analyser::operations::TreeRow>& tree) {
  std::vector<Entry> entries;
  for (const auto& row : tree)
    entries.push_back({row.totals, row.operations, row.operation, {}, row.parent, reportText(row.title)});
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (const int operation = entries[i].operation; operation >= 0)
      for (int at = int(i); at >= 0; at = entries[std::size_t(at)].parent) entries[std::size_t(at)].members.push_back(operation);
  for (Entry& entry : entries) std::sort(entry.members.begin(), entry.members.end());
  return entries;
}

std::vector<Entry> layerEntries(const analyser::operations::Operations& ofLayer) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < ofLayer.rows.size(); ++i) entries.push_back({ofLayer.rows[i], 1, -1, {int(i)}});
  return entries;
}

namespace {

// The column behind the name.
enum class Second { Kind, Vertices, Operations };
Second secondOf(const std::vector<Entry>& entries) {
  const auto hasKind = [](const Entry& e) { return !e.values.kind.empty(); };
  if (std::none_of(entries.begin(), entries.end(), hasKind)) return Second::Operations;
  // A vertex type begins with its kind: the column would say it again, and leave less room for the rest of the name.
  const auto repeats = [](const Entry& e) {
    return e.values.name.size() > e.values.kind.size() && e.values.name.starts_with(e.values.kind + '<');
  };
  return std::all_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.values.name == e.values.kind || repeats(e); })
             ? Second::Vertices
             : Second::Kind;
}

// The columns behind the name: the second, then the chosen ones.
std::vector<tables::Column> columnsOf(const std::vector<Entry>& entries, const QStringList& chosen) {
  std::vector<tables::Column> columns;
  switch (secondOf(entries)) {
  case Second::Kind: columns.push_back({QObject::tr("Kind"), Kind::Text, {}, 0, false}); break;
  case Second::Vertices: columns.push_back({QObject::tr("Vertices"), Kind::Count, {}, 80, false}); break;
  case Second::Operations: columns.push_back({QObject::tr("Operations"), Kind::Count, {}, 90, false}); break;
  }
  QStringList first = columnsShownAtFirst(), asked = chosen;
  first.sort(), asked.sort();
  for (const OperationColumn& c : operationColumns()) {
    if (!chosen.contains(c.id)) continue;
    columns.push_back(c.column);
    columns.back().isOptional = c.column.isOptional && asked == first; // what somebody chose is there, if only by scrolling
  }
  return columns;
}

void fillRow(tables::Row& row, const Entry& entry, Second second, const QStringList& chosen) {
  if (second == Second::Vertices)
    row.cells.push_back(entry.values.vertices);
  else if (second == Second::Kind)
    row.cells.push_back(entry.values.kind.empty()
                            ? tables::Cell(theme::plural(entry.operations, QObject::tr("operation"), QObject::tr("operations")))
                            : tables::Cell(reportText(entry.values.kind)));
  else
    row.cells.push_back(entry.operations);
  for (const OperationColumn& c : operationColumns())
    if (chosen.contains(c.id)) row.cells.push_back(c.value(entry.values));
}

} // namespace

std::shared_ptr<const tables::Table> entryTable(const std::vector<Entry>& entries, const QString& first,
                                                const QStringList& columns) {
  auto table = std::make_shared<tables::Table>();
  table->columns = columnsOf(entries, columns);
  table->columns.insert(table->columns.begin(), {first, Kind::Name, {}, 0, false});
  const Second second = secondOf(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    tables::Row row;
    row.id = int64_t(i);
    row.cells.push_back(reportText(entries[i].values.name));
    fillRow(row, entries[i], second, columns);
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Tree> entryTree(const std::vector<Entry>& entries, const QStringList& columns) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = columnsOf(entries, columns);
  tree->columns.insert(tree->columns.begin(), {QObject::tr("Name"), Kind::Name, {}, 0, false});
  const Second second = secondOf(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    tables::TreeRow row;
    row.id = int64_t(i), row.parent = entries[i].parent;
    row.cells.push_back(entries[i].title);
    fillRow(row, entries[i], second, columns);
    tree->rows.push_back(std::move(row));
  }
  return tree;
}

qsizetype commonFolder(const std::vector<Entry>& entries) {
  if (entries.size() < 2) return 0;
  const std::string& first = entries.front().values.name;
  std::size_t common = first.size();
  for (const Entry& entry : entries) {
    std::size_t same = 0;
    while (same < std::min(common, entry.values.name.size()) && entry.values.name[same] == first[same]) ++same;
    common = same;
  }
  const std::size_t slash = common == 0 ? std::string::npos : first.rfind('/', common - 1);
  return slash == std::string::npos ? 0 : qsizetype(slash + 1);
}

namespace {

int64_t amountOf(const Entry& e, Measure measure) {
  return measure == Measure::Waste ? e.values.tileCycles.wasted() : e.values.total.value();
}

// The part of its exchange that goes over the links between IPUs, 0 to 1.
double shareBetweenIpus(const analyser::operations::Operation& v) {
  const int64_t exchange = v.tileCycles[analyser::trace::TileTime::Exchange];
  return exchange > 0 ? std::clamp(double(v.betweenIpus) / double(exchange), 0.0, 1.0) : 0;
}

void fillCycles(plot::Bar& bar, const analyser::operations::Operation& v, const theme::Theme& theme,
                const theme::Format& format) {
  bar.text = format.cycles(v.total), bar.share = theme::percent(v.share);
  bar.tip = QObject::tr("%1\n%2 compute with on-tile copies\n%3 exchange\n%4 sync\n%5 host")
                .arg(reportText(v.name), format.cyclesExact(v.compute), format.cyclesExact(v.exchange),
                     format.cyclesExact(v.sync), format.cyclesExact(v.host));
  const double exchange = double(v.exchange.value()), between = exchange * shareBetweenIpus(v);
  for (const auto& [cycles, activity] : {std::pair{double(v.compute.value()), Activity::Compute},
                                         {exchange - between, Activity::InternalExchange},
                                         {between, Activity::GlobalExchange},
                                         {double(v.sync.value()), Activity::Sync},
                                         {double(v.host.value()), Activity::HostStream}})
    bar.segments.push_back({cycles, [&theme, activity = activity] { return theme.activity(activity); }});
}

// `all`: the tile-cycles that all of the list waste.
void fillWaste(plot::Bar& bar, const analyser::operations::Operation& v, double all, const theme::Theme& theme) {
  using analyser::trace::TileTime;
  const auto& cost = v.tileCycles;
  bar.text = QObject::tr("%1 tile-cycles").arg(theme::countShort(double(cost.wasted())));
  bar.share = theme::percent(all > 0 ? double(cost.wasted()) / all : 0);
  bar.tip = QObject::tr("%1\n%2 tile-cycles wasted of %3")
                .arg(reportText(v.name), theme::count(cost.wasted()), theme::count(cost.total()));
  for (int k = 1; k < analyser::trace::kTileTimes; ++k) {
    const auto kind = TileTime(k);
    if (cost[kind] == 0) continue;
    bar.tip += QStringLiteral("\n%1: %2").arg(shell::wasteTitle(kind), theme::count(cost[kind]));
    bar.segments.push_back({double(cost[kind]), [&theme, kind] { return shell::tileTimeColour(theme, kind); }});
  }
}

} // namespace

std::vector<plot::Bar> topBars(const std::vector<Entry>& entries, Measure measure, std::size_t count, const theme::Theme& theme,
                               const theme::Format& format, bool rootsAlone) {
  std::vector<bool> isFolder(entries.size(), false);
  for (const Entry& e : entries)
    if (e.parent >= 0) isFolder[std::size_t(e.parent)] = true;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (rootsAlone ? entries[i].parent < 0 : !isFolder[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return amountOf(entries[a], measure) > amountOf(entries[b], measure); });
  double wasted = 0;
  for (const std::size_t i : order) wasted += double(entries[i].values.tileCycles.wasted());
  std::vector<plot::Bar> bars;
  const auto folder = std::size_t(commonFolder(entries));
  for (std::size_t k = 0; k < std::min(count, order.size()); ++k) {
    const auto& v = entries[order[k]].values;
    plot::Bar bar;
    bar.id = int64_t(order[k]);
    bar.title =
        reportText(std::string_view(v.name).substr(std::min(folder, v.name.size()))); // what all share tells nothing apart
    // Models of other tools call their nodes n0, n1 …
    if (entries[order[k]].operations == 1 && bar.title.size() <= kTerse && !v.kind.empty())
      bar.title += QStringLiteral(" · ") + reportText(v.kind);
    if (measure == Measure::Waste)
      fillWaste(bar, v, wasted, theme);
    else
      fillCycles(bar, v, theme, format);
    bars.push_back(std::move(bar));
  }
  return bars;
}

namespace {
struct MergedStep {
  std::size_t first = 0; // index of the steps
  reports::Cycles cycles{};
  reports::Bytes bytes{};
  int64_t executions = 0;
  analyser::trace::TileCycles tileCycles = {};
  void add(const analyser::operations::OperationStep& step) {
    cycles += step.node.cycles, bytes += step.node.bytes, executions += step.node.executions;
    tileCycles += step.tileCycles;
  }
};
} // namespace

std::shared_ptr<const tables::Table> stepTable(const std::vector<analyser::operations::OperationStep>& steps,
                                               std::span<const int> members) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {QObject::tr("Program step"), Kind::Name, {}, 0, false},
      {QObject::tr("Kind"), Kind::Text, {}, 0, false},
      {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Of all executions"), 110, true},
      {QObject::tr("Wasted tile-cycles"), Kind::TileCycles,
       QObject::tr("Tile-cycles in which tiles neither compute nor copy: tiles × cycles − busy"), 0, true},
      tables::optional(
          {QObject::tr("Mostly lost to"), Kind::Text, QObject::tr("The largest part of the wasted tile-cycles"), 0, false}),
      {QObject::tr("Busy"), Kind::Percent, QObject::tr("Tile-cycles in which tiles compute or copy, of tiles × cycles"), 0,
       false},
      {QObject::tr("Executions"), Kind::Count, {}, 96, false},
      {QObject::tr("Received"), Kind::Bytes, QObject::tr("By all executions"), 96, false},
      {QObject::tr("Code"), Kind::Bytes, QObject::tr("Exchange and control code of the step, over all tiles"), 96, false}};
  std::map<reports::ProgramStepId, MergedStep> merged; // ids follow the program
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (std::binary_search(members.begin(), members.end(), steps[i].operation))
      merged.try_emplace(steps[i].node.id, MergedStep{i}).first->second.add(steps[i]);
  for (const auto& [id, step] : merged) {
    const auto& node = steps[step.first].node;
    tables::Row row;
    row.id = int64_t(step.first);
    row.swatch = tables::swatchOf([&](bool dark) { return theme::activityColour(node.activity, dark); });
    const auto& cost = step.tileCycles;
    row.cells = {reportText(node.name),
                 reportText(node.kind),
                 step.cycles.value(),
                 cost.wasted(),
                 cost.wasted() > 0 ? tables::Cell(shell::wasteTitle(cost.largestWaste())) : tables::Cell(),
                 tables::cellIf(cost.total() > 0, cost.share(analyser::trace::TileTime::Busy)),
                 step.executions,
                 step.bytes.value(),
                 node.codeBytes.value()};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::operations
