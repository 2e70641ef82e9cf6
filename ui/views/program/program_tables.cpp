#include "ui/views/program/program_tables.h"

#include "analyser/program/program_columns.h"
#include "ui/parts/debug_rows.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/tokens.h"

#include <QObject>

#include <algorithm>
#include <map>

namespace ui::program {

using theme::reportText;

namespace {
constexpr int64_t kAlsoAlive = -2; // the row above variables that are neither read nor written
}

QString stepTitle(const std::string& kind, const std::string& label) {
  return reportText(analyser::program::stepTitle(kind, label));
}

std::shared_ptr<const tables::Tree> programTree(const analyser::program::Program& program, ColourBy by,
                                                const std::vector<std::string>& layers) {
  std::map<std::string, int> places; // index by layer, in the model's order, so that each layer keeps its colour
  for (const std::string& layer : layers) places.emplace(layer, int(places.size()));
  if (places.empty()) by = ColourBy::StepType; // no layers to colour by
  auto columns = analyser::columns::without(analyser::program::nodeColumns(program), {"name", "kind", "bytes", "flops", "code"});
  const bool calls =
      std::any_of(program.nodes.begin(), program.nodes.end(), [](const auto& node) { return node.callee.valid(); });
  if (!calls) columns = analyser::columns::without(std::move(columns), {"own"}); // the column would repeat the cycles
  // Last, so that it is the first to go: in leaf rows it equals the cycles.
  const auto own = std::find_if(columns.begin(), columns.end(), [](const auto& column) { return column.id == "own"; });
  if (own != columns.end()) std::rotate(own, own + 1, columns.end());
  if (by != ColourBy::Layer) columns = analyser::columns::without(std::move(columns), {"layer"});
  const tables::Look look{.bars = {"cycles"},
                          .optional = {"own", "share", "executions", "id"}, // the panel also shows executions
                          .widths = {{"cycles", 120}, {"own", 100}, {"share", 76}, {"executions", 90}, {"id", 70}}};
  return tables::treeOf(columns, program.nodes, look, [&](tables::TreeRow& row, const analyser::program::Node& node) {
    row.parent = node.parent;
    if (by == ColourBy::StepType && node.activity != reports::Activity::Scope)
      row.swatch = tables::swatchOf([&](bool dark) { return theme::activityColour(node.activity, dark); });
    if (by == ColourBy::Layer && !node.layer.empty())
      row.swatch = tables::swatchOf([&](bool dark) { return theme::seriesColour(places[node.layer], dark); });
  });
}

std::shared_ptr<const tables::Table> vertexTable(const analyser::program::StepDetails& details) {
  auto columns = analyser::program::stepVertexColumns();
  const auto& rows = details.vertices;
  if (std::all_of(rows.begin(), rows.end(), [](const auto& v) { return v.source.empty(); }))
    columns = analyser::columns::without(std::move(columns), {"source"});
  if (std::all_of(rows.begin(), rows.end(), [](const auto& v) { return v.cyclesFrom.empty() || v.cyclesFrom == "formula"; }))
    columns = analyser::columns::without(std::move(columns), {"cyclesFrom"});
  return tables::tableOf(columns, rows, {.bars = {"vertices"}, .widths = {{"cycles", 110}}});
}

std::shared_ptr<const tables::Tree> debugTree(const analyser::program::StepDetails& details) {
  auto tree = std::make_shared<tables::Tree>(*shell::debugTree(details.debug));
  for (const auto& v : details.vertices) {
    if (v.source.empty()) continue;
    tables::TreeRow row;
    row.parent = -1, row.id = int64_t(tree->rows.size());
    row.cells = {QObject::tr("vertex"), reportText(v.type + " · " + v.source)};
    tree->rows.push_back(std::move(row));
  }
  return tree;
}

std::shared_ptr<const tables::Table> rootTable(const analyser::program::Program& program) {
  const tables::Look look{
      .bars = {"cycles"}, .optional = {"steps", "firstCalledIn", "executions", "code", "id"}, .ofOthers = {"firstCalledIn"}};
  return tables::tableOf(analyser::program::rootColumns(program), analyser::program::rootsOf(program), look,
                         [&program](tables::Row& row, const auto& root) {
                           row.id = root.node;
                           row.about = subjectsOf(program.nodes[std::size_t(root.node)]);
                         });
}

namespace {

// Whether the step reads or writes a variable, or begins or ends its life; empty for a variable that only stays live.
QString useText(const analyser::liveness::LiveVariable& v, int64_t ordinal, const analyser::program::StepDetails& step) {
  const bool begins = !v.alwaysLive && v.live.begin == ordinal, ends = !v.alwaysLive && v.live.end == ordinal + 1;
  const auto isIn = [&](const std::vector<int64_t>& ids) {
    return v.variable.valid() && std::binary_search(ids.begin(), ids.end(), int64_t(v.variable.value()));
  };
  const bool reads = isIn(step.reads), writes = isIn(step.writes);
  // A lifetime may begin or end at a step that does not use the variable: variables of a function are live from its first step
  // on.
  const bool isTold = step.knowsUses;
  if (begins && ends && (reads || writes || !isTold)) return QObject::tr("only here");
  if (begins && (writes || !isTold)) return QObject::tr("write (first)");
  if (ends && (reads || !isTold)) return QObject::tr("read (last)");
  return reads && writes ? QObject::tr("read, write") : reads ? QObject::tr("read") : writes ? QObject::tr("write") : QString();
}

} // namespace

std::shared_ptr<const tables::Tree> variableTree(const analyser::liveness::LiveAtStep& live,
                                                 const analyser::program::StepDetails& step) {
  using analyser::program::StepVariable;
  std::vector<StepVariable> used, others;
  reports::Bytes bytes;
  for (const auto* list : {&live.notAlwaysLive, &live.alwaysLive})
    for (const auto& v : *list) {
      StepVariable row{v.variable, v.name, useText(v, live.step, step).toStdString(), v.bytes, v.tiles, v.alwaysLive, v.category};
      if (row.use.empty()) bytes += v.bytes;
      (row.use.empty() ? others : used).push_back(std::move(row));
    }
  const auto larger = [](const StepVariable& a, const StepVariable& b) { return a.bytes > b.bytes; };
  std::stable_sort(used.begin(), used.end(), larger), std::stable_sort(others.begin(), others.end(), larger);
  const int parent = int(used.size());
  if (!others.empty())
    used.push_back({{},
                    QObject::tr("Other live variables").toStdString(),
                    theme::plural(int64_t(others.size()), QObject::tr("variable"), QObject::tr("variables")).toStdString(),
                    bytes});
  used.insert(used.end(), others.begin(), others.end());
  const tables::Look look{.optional = {"tiles", "live"},
                          .widths = {{"variable", 150}, {"here", 110}, {"bytes", 80}, {"tiles", 64}, {"live", 96}}};
  auto tree =
      tables::treeOf(analyser::program::stepVariableColumns(), used, look, [&](tables::TreeRow& row, const StepVariable& v) {
        const bool isSum = row.id == parent;
        row.parent = row.id > parent ? parent : -1;
        row.id = isSum ? kAlsoAlive : tables::idOf(v.variable);
        if (!isSum) row.swatch = tables::swatchOf([&](bool dark) { return theme::memoryColour(v.category, dark); });
      });
  tree->columns.front().grows = true;
  return tree;
}

} // namespace ui::program
