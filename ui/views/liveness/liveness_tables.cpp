#include "ui/views/liveness/liveness_tables.h"

#include "ui/shell/report_text.h"
#include "ui/theme/format.h"
#include "ui/theme/tokens.h"

namespace ui::liveness {

using shell::reportText;
using tables::Kind;

std::shared_ptr<const tables::Table> liveTable(const std::vector<analyser::liveness::LiveVariable>& variables, reports::Bytes sum,
                                               const std::vector<reports::Bytes>& gains) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {QObject::tr("Variable"), Kind::Name, {}, 0, false},
      {QObject::tr("Bytes"), Kind::Bytes, QObject::tr("Over all tiles of the scope"), 100, true, true},
      {QObject::tr("Share"), Kind::Percent, QObject::tr("Of all rows of this table"), 88, false, true},
      {QObject::tr("Saves"), Kind::Bytes,
       QObject::tr("The peak is so much lower without it: less than its bytes where another step then is the peak"), 0, false},
      {QObject::tr("From"), Kind::Count,
       QObject::tr("The step that writes it first. From the first step until the last: its value is kept for the next run"), 0,
       false},
      {QObject::tr("Until"), Kind::Count, QObject::tr("The step that reads it last"), 0, false},
      {QObject::tr("Most on a tile"), Kind::Bytes, {}, 0, false},
      {QObject::tr("Tiles"), Kind::Count, {}, 0, false},
      tables::optional({QObject::tr("Category"), Kind::Text, {}, 0, false}),   // the swatch says it, too
      tables::optional({QObject::tr("Operation"), Kind::Text, {}, 0, false})}; // most names begin with it
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto& v = variables[i];
    tables::Row row;
    row.id = v.variable.valid() ? int64_t(v.variable.value()) : -1;
    row.swatch = tables::swatchOf([&](bool dark) { return theme::memoryColour(v.category, dark); });
    row.cells = {reportText(v.name),
                 v.bytes.value(),
                 sum.value() > 0 ? ratio(v.bytes, sum) : 0.0,
                 tables::cellIf(i < gains.size(), i < gains.size() ? gains[i].value() : 0),
                 tables::cellIf(!v.live.empty(), v.live.begin),
                 tables::cellIf(!v.live.empty(), v.live.end - 1),
                 v.maxTile.value(),
                 v.tiles,
                 reportText(reports::memoryCategoryTitle(v.category)),
                 reportText(v.operation)};
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> workTable(const analyser::program::StepDetails& step) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{step.vertices.empty() ? QObject::tr("Step") : QObject::tr("Vertex type"), Kind::Name, {}, 0, false},
                    {QObject::tr("Vertices"), Kind::Count, {}, 0, false, true},
                    {QObject::tr("Tiles"), Kind::Count, {}, 0, false},
                    {QObject::tr("Tile-cycles"), Kind::Count,
                     QObject::tr("Cycles of one execution, summed over the tiles of the chosen scope"), 0, true, true},
                    {QObject::tr("FLOPs"), Kind::Flops,
                     QObject::tr("Of one execution, summed over the tiles of the chosen scope"), 0, false, true},
                    {QObject::tr("State"), Kind::Bytes, QObject::tr("Over the tiles of the chosen scope"), 0, false, true},
                    {QObject::tr("Kind"), Kind::Text, {}, 0, false}};
  const bool receives = step.bytesIn > reports::Bytes(), sends = step.bytesOut > reports::Bytes();
  const auto addBytes = [&](const QString& title) {
    table->columns.insert(table->columns.end() - 1, {title, Kind::Bytes, QObject::tr("By one execution"), 0, false});
  };
  if (receives) addBytes(QObject::tr("Received"));
  if (sends) addBytes(QObject::tr("Sent"));
  // A step without vertices is one line: an exchange, a sync, a transfer.
  if (step.vertices.empty() && step.executions > 0) {
    tables::Row row;
    row.cells = {reportText(step.exchange.empty() ? step.name : step.exchange),
                 std::monostate(),
                 step.activeTiles,
                 step.busyCycles.value(),
                 step.flops.value(),
                 std::monostate()};
    if (receives) row.cells.push_back(step.bytesIn.value());
    if (sends) row.cells.push_back(step.bytesOut.value());
    row.cells.push_back(reportText(step.kind));
    table->rows.push_back(std::move(row));
  }
  for (const auto& v : step.vertices) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {reportText(v.type), v.vertices, v.tiles, v.cycles.value(), v.flops.value(), v.stateBytes.value()};
    for (const bool has : {receives, sends})
      if (has) row.cells.push_back(std::monostate());
    row.cells.push_back(reportText(v.kind));
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> shrinkTable(const analyser::liveness::Shrink& shrink) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {QObject::tr("Category"), Kind::Text, {}, 0, false},
      {QObject::tr("Always live"), Kind::Bytes, {}, 0, false, true},
      {QObject::tr("At the peak"), Kind::Bytes, QObject::tr("Not always live, at the peak step"), 0, false, true},
      {QObject::tr("Both"), Kind::Bytes, {}, 0, true, true},
      {QObject::tr("Saves"), Kind::Bytes,
       QObject::tr("The peak is so much lower without the category: less than its bytes where another step then is the peak"), 0,
       false}};
  const bool isOver = shrink.excess > reports::Bytes();
  if (isOver)
    table->columns.push_back({QObject::tr("Over without it"), Kind::Bytes,
                              QObject::tr("By how much the peak is still more than there is without the category; 0: it fits"), 0,
                              false});
  for (const auto& part : shrink.parts) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.swatch = tables::swatchOf([&](bool dark) { return theme::memoryColour(part.category, dark); });
    row.cells = {reportText(part.title), part.alwaysLive.value(), part.atPeak.value(), (part.alwaysLive + part.atPeak).value(),
                 part.gain.value()};
    if (isOver) row.cells.push_back(std::max<int64_t>(0, (shrink.excess - part.gain).value()));
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> differenceTable(const std::vector<analyser::liveness::StepDifference>& differences,
                                                     int64_t before, int64_t after) {
  auto table = std::make_shared<tables::Table>();
  table->total = QObject::tr("Total of what differs");
  table->columns = {{QObject::tr("Variable"), Kind::Name, {}, 0, false},
                    {QObject::tr("At step %1").arg(theme::count(before)), Kind::Bytes, {}, 120, false, true},
                    {QObject::tr("At step %1").arg(theme::count(after)), Kind::Bytes, {}, 120, false, true},
                    {QObject::tr("Difference"), Kind::BytesDelta, {}, 110, false, true},
                    {QObject::tr("Operation"), Kind::Text, {}, 0, false}};
  for (const auto& d : differences) {
    tables::Row row;
    row.id = d.variable.variable.valid() ? int64_t(d.variable.variable.value()) : -1;
    row.swatch = tables::swatchOf([&](bool dark) { return theme::memoryColour(d.variable.category, dark); });
    row.cells = {reportText(d.variable.name), d.before.value(), d.after.value(), d.difference().value(),
                 reportText(d.variable.operation)};
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> stepTable(const analyser::liveness::Liveness& liveness) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Step"), Kind::Count, {}, 80, false},
                    {QObject::tr("Kind"), Kind::Text, {}, 0, false},
                    {QObject::tr("Name"), Kind::Name, {}, 480, false},
                    {QObject::tr("Not always live"), Kind::Bytes, {}, 130, true}};
  for (const auto& step : liveness.steps) {
    tables::Row row;
    row.id = step.ordinal;
    row.swatch = tables::swatchOf([&](bool dark) { return theme::activityColour(step.activity, dark); });
    tables::Cell bytes;
    if (step.ordinal >= 0 && std::size_t(step.ordinal) < liveness.curve.notAlwaysLive.size())
      bytes = liveness.curve.notAlwaysLive[std::size_t(step.ordinal)].value();
    row.cells = {step.ordinal, reportText(step.kind), reportText(step.name), bytes};
    table->rows.push_back(std::move(row));
  }
  return table;
}

QString scopeTitle(const std::string& scope) {
  if (scope == "all") return QObject::tr("All IPUs");
  if (scope == analyser::liveness::kTilesScope) return QObject::tr("Selected tiles");
  if (scope.rfind("ipu.", 0) == 0) return QObject::tr("IPU %1").arg(reportText(scope.substr(4)));
  if (scope.rfind("tile.", 0) == 0) return QObject::tr("Tile %1").arg(reportText(scope.substr(5)));
  return reportText(scope);
}

} // namespace ui::liveness
