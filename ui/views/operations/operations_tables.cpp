#include "ui/views/operations/operations_tables.h"

#include "ui/shell/report_text.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <numeric>

namespace ui::operations {

using reports::Activity;
using shell::reportText;
using tables::Kind;

namespace {
constexpr qsizetype kTerse = 8; // characters: a name this short says little without its kind
} // namespace

std::vector<Entry> entriesOf(const analyser::operations::Operations& operations, Grouping grouping) {
  std::vector<Entry> entries;
  if (grouping == Grouping::None) {
    for (const auto& row : operations.rows) entries.push_back({row, 1});
    return entries;
  }
  using analyser::operations::GroupBy;
  for (const auto& group :
       analyser::operations::group(operations, grouping == Grouping::ByKind ? GroupBy::Kind : GroupBy::Layer)) {
    Entry entry{group.totals, group.operations};
    entry.values.name = group.name;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::shared_ptr<const tables::Table> entryTable(const std::vector<Entry>& entries, Grouping grouping) {
  auto table = std::make_shared<tables::Table>();
  const bool single = grouping == Grouping::None;
  table->columns = {
      {single                         ? QObject::tr("Operation")
       : grouping == Grouping::ByKind ? QObject::tr("Kind")
                                      : QObject::tr("Layer"),
       Kind::Name,
       {},
       0,
       false},
      single ? tables::Column{QObject::tr("Kind"), Kind::Text, {}, 0, false}
             : tables::Column{QObject::tr("Operations"), Kind::Count, {}, 90, false},
      {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Compute, exchange, sync and host of all executions"), 110, true},
      {QObject::tr("Share"), Kind::Percent, QObject::tr("Of all operations' cycles"), 66, false},
      {QObject::tr("Exchange"), Kind::Cycles, QObject::tr("Cycles spent in exchange"), 108, false},
      {QObject::tr("FLOP use"), Kind::Percent, QObject::tr("FLOPs over what the machine could do in these cycles"), 94, false},
      {QObject::tr("Balance"), Kind::Percent, QObject::tr("Mean cycles of the active tiles over the slowest, of compute"), 86,
       false},
      {QObject::tr("Memory"), Kind::Bytes, QObject::tr("Its variables and its code, over all tiles"), 92, false}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& v = entries[i].values;
    tables::Row row;
    row.id = int64_t(i);
    tables::Cell balance;
    if (v.balance) balance = *v.balance;
    row.cells.push_back(reportText(v.name));
    if (single)
      row.cells.push_back(reportText(v.kind));
    else
      row.cells.push_back(entries[i].operations);
    for (tables::Cell cell : {tables::Cell(v.total.value()), tables::Cell(v.share), tables::Cell(v.exchange.value()),
                              tables::Cell(v.flopUtilisation), balance, tables::Cell(v.memory().value())})
      row.cells.push_back(std::move(cell));
    table->rows.push_back(std::move(row));
  }
  return table;
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

std::vector<plot::Bar> topBars(const std::vector<Entry>& entries, std::size_t count, const theme::Theme& theme,
                               const theme::Format& format) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return entries[a].values.total > entries[b].values.total; });
  std::vector<plot::Bar> bars;
  const auto folder = std::size_t(commonFolder(entries));
  for (std::size_t k = 0; k < std::min(count, order.size()); ++k) {
    const auto& v = entries[order[k]].values;
    plot::Bar bar;
    bar.id = int64_t(order[k]);
    bar.title = reportText(std::string_view(v.name).substr(folder)); // what all share tells nothing apart
    // Models of other tools call their nodes n0, n1 …
    if (entries[order[k]].operations == 1 && bar.title.size() <= kTerse && !v.kind.empty())
      bar.title += QStringLiteral(" · ") + reportText(v.kind);
    bar.text = format.cycles(v.total), bar.share = theme::percent(v.share);
    bar.tip = QObject::tr("%1\n%2 compute\n%3 exchange\n%4 sync\n%5 host")
                  .arg(reportText(v.name), format.cyclesExact(v.compute), format.cyclesExact(v.exchange),
                       format.cyclesExact(v.sync), format.cyclesExact(v.host));
    for (const auto& [cycles, activity] : {std::pair{v.compute, Activity::Compute},
                                           {v.exchange, Activity::InternalExchange},
                                           {v.sync, Activity::Sync},
                                           {v.host, Activity::HostStream}})
      bar.segments.push_back({double(cycles.value()), [&theme, activity = activity] { return theme.activity(activity); }});
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::shared_ptr<const tables::Table> stepTable(const std::vector<analyser::operations::OperationStep>& steps, int operation,
                                               bool dark) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Program step"), Kind::Name, {}, 0, false},
                    {QObject::tr("Kind"), Kind::Text, {}, 0, false},
                    {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Of all executions"), 110, true},
                    {QObject::tr("Executions"), Kind::Count, {}, 96, false},
                    {QObject::tr("Received"), Kind::Bytes, QObject::tr("By all executions"), 96, false},
                    {QObject::tr("Code"), Kind::Bytes, {}, 96, false}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].operation != operation) continue;
    const auto& node = steps[i].node;
    tables::Row row;
    row.id = int64_t(i);
    row.swatch = theme::activityColour(node.activity, dark);
    row.cells = {reportText(node.name), reportText(node.kind), node.cycles.value(),
                 node.executions,       node.bytes.value(),    node.codeBytes.value()};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::operations
