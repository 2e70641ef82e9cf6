#include "ui/views/operations/operations_tables.h"

#include "analyser/operations/operation_columns.h"
#include "ui/parts/tile_time.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QObject>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace ui::operations {

using analyser::columns::Columns;
using reports::Activity;
using tables::Kind;
using theme::reportText;

namespace {
constexpr qsizetype kTerse = 8; // characters: a shorter name is shown with its kind
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
  for (const auto& row : tree) entries.push_back({row.totals, row.operations, row.operation, {}, row.parent, row.title});
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (const int operation = entries[i].operation; operation >= 0)
      for (int at = int(i); at >= 0; at = entries[std::size_t(at)].parent) entries[std::size_t(at)].members.push_back(operation);
  for (Entry& entry : entries) std::sort(entry.members.begin(), entry.members.end());
  return entries;
}

analyser::columns::Subjects subjectsOf(const Entry& entry) {
  using analyser::columns::Thing;
  if (entry.values.layer == analyser::operations::kVertexTypes) return {{Thing::VertexType, -1, entry.values.name}};
  if (entry.operation >= 0) return analyser::columns::about(Thing::Operation, entry.values.id);
  return analyser::columns::about(Thing::Step, entry.values.costliestStep);
}

std::vector<Entry> layerEntries(const analyser::operations::Operations& ofLayer) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < ofLayer.rows.size(); ++i) entries.push_back({ofLayer.rows[i], 1, -1, {int(i)}});
  return entries;
}

namespace {

// The column after the name.
enum class Second { Kind, Vertices, Operations };
Second secondOf(const std::vector<Entry>& entries) {
  const auto hasKind = [](const Entry& e) { return !e.values.kind.empty(); };
  if (std::none_of(entries.begin(), entries.end(), hasKind)) return Second::Operations;
  // A vertex type begins with its kind: the column would repeat it, and leave less width for the name.
  const auto repeats = [](const Entry& e) {
    return e.values.name.size() > e.values.kind.size() && e.values.name.starts_with(e.values.kind + '<');
  };
  return std::all_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.values.name == e.values.kind || repeats(e); })
             ? Second::Vertices
             : Second::Kind;
}

// The name, the second column, then the columns that the user chose.
Columns<Entry> columnsOfEntries(const std::vector<Entry>& entries, const QStringList& chosen, const QString& first) {
  Columns<Entry> columns{
      {"name", first.toStdString(), Kind::Name, "", [](const Entry& e) { return e.title.empty() ? e.values.name : e.title; }}};
  const Second second = secondOf(entries);
  if (second == Second::Kind)
    columns.push_back(
        {"kind", "Kind", Kind::Text, "", [](const Entry& e) {
           return e.values.kind.empty()
                      ? theme::plural(e.operations, QObject::tr("operation"), QObject::tr("operations")).toStdString()
                      : e.values.kind;
         }});
  else if (second == Second::Operations)
    columns.push_back({"operations", "Operations", Kind::Count, "", &Entry::operations});
  else
    columns.push_back({"vertices", "Vertices", Kind::Count, "", [](const Entry& e) { return e.values.vertices; }});
  for (const auto& c : choosableColumns())
    if (chosen.contains(QString::fromStdString(c.id)) && c.id != columns[1].id)
      columns.push_back({c.id, c.title, c.kind, c.meaning, [&c](const Entry& e) { return c.value(e.values); }, c.sum});
  return columns;
}

// In a narrow window the name stays readable and numbers stay complete. Columns chosen by the user are never dropped; the table scrolls.
tables::Look lookOf(const QStringList& chosen) {
  tables::Look look{.bars = {"cycles", "wasted"},
                    .widths = {{"operations", 90}, {"cycles", 110}, {"share", 66}, {"achieved", 94}, {"memory", 92}}};
  QStringList first = columnsShownAtFirst(), asked = chosen;
  first.sort(), asked.sort();
  if (asked == first) look.optional = {"share", "busy", "tiles", "achieved"};
  return look;
}

} // namespace

const Columns<analyser::operations::Operation>& choosableColumns() {
  static const auto columns = analyser::columns::without(analyser::operations::operationColumns(), {"name", "kind"});
  return columns;
}

QStringList columnsShownAtFirst() { return {"cycles", "share", "wasted", "why", "busy", "tiles", "achieved"}; }

std::shared_ptr<const tables::Table> entryTable(const std::vector<Entry>& entries, const QString& first,
                                                const QStringList& columns) {
  return tables::tableOf(columnsOfEntries(entries, columns, first), entries, lookOf(columns));
}

std::shared_ptr<const tables::Tree> entryTree(const std::vector<Entry>& entries, const QStringList& columns) {
  return tables::treeOf(columnsOfEntries(entries, columns, QObject::tr("Name")), entries, lookOf(columns),
                        [](tables::TreeRow& row, const Entry& entry) { row.parent = entry.parent; });
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

// The share of its exchange that uses the links between IPUs, 0 to 1.
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

// `all`: the wasted tile-cycles of the whole list.
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

// Shows the change from A to B as the text of the bar, and A as a tick.
void addChange(plot::Bar& bar, int64_t a, int64_t b, Measure measure, const theme::Format& format) {
  const auto text = [&](int64_t amount, bool isChange) {
    if (measure == Measure::Waste)
      return QObject::tr("%1 tile-cycles").arg((isChange && amount > 0 ? QStringLiteral("+") : QString()) + theme::count(amount));
    return isChange ? format.cyclesDelta(reports::Cycles(amount)) : format.cyclesExact(reports::Cycles(amount));
  };
  bar.other = double(a);
  bar.text = measure == Measure::Waste ? (b > a ? QStringLiteral("+") : QString()) + theme::countShort(double(b - a))
                                       : text(b - a, true);
  bar.share = a > 0 ? theme::percentDelta(double(b - a) / double(a)) : QString();
  bar.tip = QObject::tr("A: %1\nB: %2\nB − A: %3").arg(text(a, false), text(b, false), text(b - a, true));
}

} // namespace

std::vector<plot::Bar> topBars(const std::vector<Entry>& entries, Measure measure, std::size_t count, const theme::Theme& theme,
                               const theme::Format& format, bool rootsAlone, const std::vector<Entry>& inB) {
  const auto amount = [&](std::size_t i) {
    const int64_t a = amountOf(entries[i], measure);
    return inB.empty() ? a : std::abs(amountOf(inB[i], measure) - a);
  };
  std::vector<bool> isFolder(entries.size(), false);
  for (const Entry& e : entries)
    if (e.parent >= 0) isFolder[std::size_t(e.parent)] = true;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (rootsAlone ? entries[i].parent < 0 : !isFolder[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return amount(a) > amount(b); });
  double wasted = 0;
  for (const std::size_t i : order) wasted += double(entries[i].values.tileCycles.wasted());
  std::vector<plot::Bar> bars;
  const auto folder = std::size_t(commonFolder(entries));
  for (std::size_t k = 0; k < std::min(count, order.size()); ++k) {
    const Entry& entry = entries[order[k]];
    const auto& v = inB.empty() ? entry.values : inB[order[k]].values; // the values of the bar
    const std::string& name = entry.values.name;
    plot::Bar bar;
    bar.id = int64_t(order[k]);
    bar.title = reportText(std::string_view(name).substr(std::min(folder, name.size()))); // a common prefix distinguishes nothing
    // Models of other tools name nodes n0, n1, …, so a short name is shown with its kind.
    if (entry.operations == 1 && bar.title.size() <= kTerse && !v.kind.empty())
      bar.title += QStringLiteral(" · ") + reportText(v.kind);
    if (measure == Measure::Waste)
      fillWaste(bar, v, wasted, theme);
    else
      fillCycles(bar, v, theme, format);
    if (!inB.empty()) addChange(bar, amountOf(entry, measure), amountOf(inB[order[k]], measure), measure, format);
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::shared_ptr<const tables::Table> stepTable(const std::vector<analyser::operations::OperationStep>& steps,
                                               std::span<const int> members) {
  using analyser::operations::StepOfOperations;
  std::map<reports::ProgramStepId, std::pair<StepOfOperations, std::size_t>> merged; // ids follow the program
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (const auto& step = steps[i]; std::binary_search(members.begin(), members.end(), step.operation)) {
      auto& sum = merged.try_emplace(step.node.id, StepOfOperations{&step.node}, i).first->second.first;
      sum.cycles += step.node.cycles, sum.bytes += step.node.bytes, sum.executions += step.node.executions;
      sum.tileCycles += step.tileCycles;
      sum.used += step.used, sum.usable += step.usable;
    }
  std::vector<StepOfOperations> rows;
  std::vector<int64_t> ids;
  for (const auto& [step, sum] : merged) rows.push_back(sum.first), ids.push_back(int64_t(sum.second));
  const tables::Look look{.bars = {"cycles", "wasted"},
                          .optional = {"why"},
                          .widths = {{"cycles", 110}, {"executions", 96}, {"received", 96}, {"code", 96}}};
  return tables::tableOf(analyser::operations::stepColumns(), rows, look, [&](tables::Row& row, const auto& step) {
    row.id = ids[std::size_t(row.id)];
    row.swatch = tables::swatchOf([&](bool dark) { return theme::activityColour(step.node->activity, dark); });
  });
}

} // namespace ui::operations
