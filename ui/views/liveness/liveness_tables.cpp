#include "ui/views/liveness/liveness_tables.h"

#include "analyser/liveness/liveness_columns.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/tokens.h"

#include <QObject>

namespace ui::liveness {

using tables::Kind;
using theme::reportText;

namespace {
tables::Swatch categorySwatch(reports::MemoryCategory category) {
  return tables::swatchOf([&](bool dark) { return theme::memoryColour(category, dark); });
}
} // namespace

std::shared_ptr<const tables::Table> liveTable(const std::vector<analyser::liveness::LiveVariable>& variables, reports::Bytes sum,
                                               const std::vector<reports::Bytes>& gains) {
  std::vector<analyser::liveness::LiveRow> rows;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    rows.push_back({&variables[i], sum});
    if (i < gains.size()) rows.back().gain = gains[i];
  }
  // The swatch also shows the category, and most names begin with their operation.
  const tables::Look look{.bars = {"bytes"}, .optional = {"category", "operation"}, .widths = {{"bytes", 100}, {"share", 88}}};
  return tables::tableOf(analyser::liveness::liveColumns(), rows, look, [](tables::Row& row, const auto& live) {
    row.id = tables::idOf(live.variable->variable);
    row.swatch = categorySwatch(live.variable->category);
  });
}

std::shared_ptr<const tables::Table> rangeTable(const analyser::liveness::LiveRange& range) {
  const tables::Look look{.bars = {"bytes"}, .optional = {"category", "operation"}, .widths = {{"bytes", 100}, {"share", 88}}};
  return tables::tableOf(analyser::liveness::rangeColumns(range.bytes), range.variables, look,
                         [](tables::Row& row, const auto& live) {
                           row.id = tables::idOf(live.variable.variable);
                           row.swatch = categorySwatch(live.variable.category);
                         });
}

std::shared_ptr<const tables::Table> workTable(const analyser::program::StepDetails& step) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{"name", step.vertices.empty() ? QObject::tr("Step") : QObject::tr("Vertex type"), Kind::Name, {}, 0, false},
                    {"vertices", QObject::tr("Vertices"), Kind::Count, {}, 0, false, true},
                    {"tiles", QObject::tr("Tiles"), Kind::Count, {}, 0, false},
                    {"tileCycles", QObject::tr("Tile-cycles"), Kind::Count,
                     QObject::tr("Cycles of one execution, summed over the tiles of the chosen scope"), 0, true, true},
                    {"flops", QObject::tr("FLOPs"), Kind::Flops,
                     QObject::tr("FLOPs of one execution, summed over the tiles of the chosen scope"), 0, false, true},
                    {"state", QObject::tr("State"), Kind::Bytes,
                     QObject::tr("Bytes of vertex state, summed over the tiles of the chosen scope"), 0, false, true},
                    {"kind", QObject::tr("Kind"), Kind::Text, {}, 0, false}};
  const bool receives = step.bytesIn > reports::Bytes(), sends = step.bytesOut > reports::Bytes();
  const auto addBytes = [&](const QString& title) {
    table->columns.insert(table->columns.end() - 1,
                          {tables::idOf(title), title, Kind::Bytes, QObject::tr("Bytes of one execution"), 0, false});
  };
  if (receives) addBytes(QObject::tr("Received"));
  if (sends) addBytes(QObject::tr("Sent"));
  // A step without vertices (an exchange, a sync, a transfer) is one line.
  if (step.vertices.empty() && step.executions > 0) {
    tables::Row row;
    row.about = analyser::columns::about(analyser::columns::Thing::Step, step.id);
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
    row.about = {{analyser::columns::Thing::VertexType, -1, v.type}};
    row.cells = {reportText(v.type), v.vertices, v.tiles, v.cycles.value(), v.flops.value(), v.stateBytes.value()};
    for (const bool has : {receives, sends})
      if (has) row.cells.push_back(std::monostate());
    row.cells.push_back(reportText(v.kind));
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> shrinkTable(const analyser::liveness::Shrink& shrink) {
  return tables::tableOf(analyser::liveness::shrinkColumns(shrink), shrink.parts, {.bars = {"both"}},
                         [](tables::Row& row, const auto& part) { row.swatch = categorySwatch(part.category); });
}

std::shared_ptr<const tables::Table> differenceTable(const std::vector<analyser::liveness::StepDifference>& differences,
                                                     int64_t before, int64_t after) {
  const auto columns =
      analyser::liveness::differenceColumns(theme::count(before).toStdString(), theme::count(after).toStdString());
  const tables::Look look{.widths = {{"before", 120}, {"after", 120}, {"difference", 110}}};
  auto table = tables::tableOf(columns, differences, look, [](tables::Row& row, const auto& d) {
    row.id = tables::idOf(d.variable.variable);
    row.swatch = categorySwatch(d.variable.category);
  });
  table->total = QObject::tr("Total of the variables that differ");
  return table;
}

std::shared_ptr<const tables::Table> stepTable(const analyser::liveness::Liveness& liveness) {
  const tables::Look look{.bars = {"notAlwaysLive"}, .widths = {{"step", 80}, {"name", 480}, {"notAlwaysLive", 130}}};
  return tables::tableOf(analyser::liveness::stepColumns(liveness.curve), liveness.steps, look,
                         [](tables::Row& row, const auto& step) {
                           row.id = step.ordinal;
                           row.swatch = tables::swatchOf([&](bool dark) { return theme::activityColour(step.activity, dark); });
                         });
}

QString scopeTitle(const std::string& scope) {
  if (scope == "all") return QObject::tr("All IPUs");
  if (scope == analyser::liveness::kTilesScope) return QObject::tr("Selected tiles");
  if (scope.rfind("ipu.", 0) == 0) return QObject::tr("IPU %1").arg(reportText(scope.substr(4)));
  if (scope.rfind("tile.", 0) == 0) return QObject::tr("Tile %1").arg(reportText(scope.substr(5)));
  return reportText(scope);
}

} // namespace ui::liveness
