#include "ui/views/program/program_tables.h"

#include "ui/shell/report_text.h"
#include "ui/theme/tokens.h"

namespace ui::program {

using shell::reportText;
using tables::Kind;

QString stepTitle(const std::string& kind, const std::string& label) {
  if (label.empty() || label == kind) return reportText(kind);
  return QStringLiteral("%1 (%2)").arg(reportText(kind), reportText(label));
}

std::shared_ptr<const tables::Tree> programTree(const analyser::program::Program& program, bool dark) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {{QObject::tr("Step"), Kind::Text, {}, 0, false},
                   {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Of one execution times executions"), 120, true},
                   {QObject::tr("Share"), Kind::Percent, QObject::tr("Of the whole program's cycles"), 76, false},
                   {QObject::tr("Executions"), Kind::Count, {}, 90, false}};
  tree->rows.reserve(program.nodes.size());
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    const auto& node = program.nodes[i];
    tables::TreeRow row;
    row.parent = node.parent;
    row.id = int64_t(i);
    if (node.activity != reports::Activity::Scope) row.swatch = theme::activityColour(node.activity, dark);
    QString title = stepTitle(node.kind, node.label);
    if (node.repeatCount) title += QStringLiteral(" × %1").arg(*node.repeatCount);
    // What a call costs is counted in the function it calls, so it has no number of its own; nor has what only calls.
    const bool counts = !node.callee.valid() && (node.children == 0 || node.cycles.value() > 0);
    row.cells = {title, tables::cellIf(counts, node.cycles.value()),
                 tables::cellIf(counts, program.total.value() > 0 ? ratio(node.cycles, program.total) : 0.0)};
    tables::Cell executions; // a step that only holds others is not counted
    if (node.executions > 0) executions = node.executions;
    row.cells.push_back(std::move(executions));
    tree->rows.push_back(std::move(row));
  }
  return tree;
}

std::shared_ptr<const tables::Table> vertexTable(const analyser::program::StepDetails& details) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Vertex type"), Kind::Name, {}, 0, false},
                    {QObject::tr("Vertices"), Kind::Count, {}, 0, true},
                    {QObject::tr("Tiles"), Kind::Count, {}, 0, false},
                    {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Of one execution, summed over tiles"), 110, false},
                    {QObject::tr("State"), Kind::Bytes, {}, 0, false}};
  for (const auto& v : details.vertices) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {reportText(v.type), v.vertices, v.tiles, v.cycles.value(), v.stateBytes.value()};
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> variableTable(const analyser::liveness::LiveAtStep& live, bool dark) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Variable"), Kind::Name, {}, 0, false},
                    {QObject::tr("Bytes"), Kind::Bytes, QObject::tr("Over all tiles"), 100, true},
                    {QObject::tr("Tiles"), Kind::Count, {}, 0, false},
                    {QObject::tr("Live"), Kind::Text, {}, 0, false}};
  for (const auto* list : {&live.notAlwaysLive, &live.alwaysLive})
    for (const auto& v : *list) {
      tables::Row row;
      row.id = v.variable.valid() ? int64_t(v.variable.value()) : -1;
      row.swatch = theme::memoryColour(v.category, dark);
      row.cells = {reportText(v.name), v.bytes.value(), v.tiles, v.alwaysLive ? QObject::tr("Always live") : QObject::tr("Not always live")};
      table->rows.push_back(std::move(row));
    }
  return table;
}

std::shared_ptr<const tables::Table> debugTable(const analyser::program::StepDetails& details) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Name"), Kind::Name, {}, 0, false},
                    {QObject::tr("Layer"), Kind::Text, {}, 0, false},
                    {QObject::tr("Kind"), Kind::Text, {}, 0, false},
                    {QObject::tr("Details"), Kind::Text, {}, 0, false}};
  for (const auto& layer : details.debug) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {reportText(layer.name), reportText(layer.layer), reportText(layer.kind), reportText(layer.detailsJson)};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::program
