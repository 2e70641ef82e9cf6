#include "ui/views/liveness/liveness_tables.h"

#include "analyser/liveness/liveness_columns.h"
#include "analyser/program/program_columns.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/tokens.h"

#include <QObject>

namespace ui::liveness {

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
  return tables::tableOf(analyser::program::workColumns(step), analyser::program::workOf(step), {.bars = {"tileCycles"}});
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
