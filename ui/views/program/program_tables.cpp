#include "ui/views/program/program_tables.h"

#include "analyser/program/model_layers.h"
#include "ui/shell/debug_rows.h"
#include "ui/shell/report_text.h"
#include "ui/theme/format.h"
#include "ui/theme/tokens.h"

#include <algorithm>
#include <map>

namespace ui::program {

using shell::reportText;
using tables::Kind;

namespace {
constexpr int64_t kAlsoAlive = -2; // the row of what is neither read nor written
}

QString stepTitle(const std::string& kind, const std::string& label) {
  if (label.empty() || label == kind) return reportText(kind);
  if (kind.empty()) return reportText(label);
  return reportText(kind) + QStringLiteral(" · ") + reportText(label);
}

std::shared_ptr<const tables::Tree> programTree(const analyser::program::Program& program, ColourBy by) {
  std::map<std::string, int> places; // of layers; their order is the model's, so that each keeps its colour
  for (const std::string& layer : analyser::program::layersOf(program)) places.emplace(layer, int(places.size()));
  if (places.empty()) by = ColourBy::StepType; // no layers to colour by
  auto tree = std::make_shared<tables::Tree>();
  const bool calls =
      std::any_of(program.nodes.begin(), program.nodes.end(), [](const auto& node) { return node.callee.valid(); });
  tree->columns = {
      {QObject::tr("Step"), Kind::Text, {}, 0, false},
      {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Over the run, with the functions that are called"), 120, true},
  };
  if (calls) // else it would repeat the cycles
    tree->columns.push_back(
        {QObject::tr("Own"), Kind::Cycles, QObject::tr("Over the run, without the functions that are called"), 100, false});
  tree->columns.push_back(
      tables::optional({QObject::tr("Share"), Kind::Percent, QObject::tr("Of the whole program's cycles"), 76, false}));
  tree->columns.push_back(tables::optional({QObject::tr("Executions"), Kind::Count, {}, 90, false})); // the panel says it, too
  tree->columns.push_back(tables::optional(
      {QObject::tr("Id"), Kind::Count, QObject::tr("program_step.id, as Query and the command line have it"), 70}));
  if (by == ColourBy::Layer) tree->columns.push_back({QObject::tr("Layer"), Kind::Text, QObject::tr("Of the model")});
  tree->rows.reserve(program.nodes.size());
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    const auto& node = program.nodes[i];
    tables::TreeRow row;
    row.parent = node.parent;
    row.id = int64_t(i);
    if (by == ColourBy::StepType && node.activity != reports::Activity::Scope)
      row.swatch = tables::swatchOf([&](bool dark) { return theme::activityColour(node.activity, dark); });
    if (by == ColourBy::Layer && !node.layer.empty())
      row.swatch = tables::swatchOf([&](bool dark) { return theme::seriesColour(places[node.layer], dark); });
    QString title = stepTitle(node.kind, node.title);
    if (node.repeatCount) title += QStringLiteral(" × %1").arg(*node.repeatCount);
    const bool counts = node.children == 0 || node.inclusive.value() > 0;
    row.cells = {title, tables::cellIf(counts, node.inclusive.value())};
    const bool hasOwn = !node.callee.valid() && (node.children == 0 || node.cycles.value() > 0);
    if (calls) row.cells.push_back(tables::cellIf(hasOwn, node.cycles.value()));
    row.cells.push_back(tables::cellIf(counts, program.total.value() > 0 ? ratio(node.inclusive, program.total) : 0.0));
    row.cells.push_back(tables::cellIf(node.executions > 0, node.executions)); // not known where nothing inside ran
    row.cells.push_back(int64_t(node.id.value()));
    if (by == ColourBy::Layer) row.cells.push_back(reportText(node.layer));
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

namespace {
// The path of a function's first call. Its end is left out where it only repeats the function's name: a short column shows the end of a path,
// and would have the same words for all functions of one name.
QString firstCallOf(const analyser::program::Program& program, const analyser::program::Root& root) {
  if (root.firstCall < 0) return {};
  const std::string& label = program.nodes[std::size_t(root.node)].label;
  std::string path = program.nodes[std::size_t(root.firstCall)].name;
  while (path.size() > label.size() + 1 && path.ends_with('/' + label))
    path.resize(path.size() - label.size() - 1); // of the call, of its layer
  return reportText(path);
}
} // namespace

std::shared_ptr<const tables::Table> rootTable(const analyser::program::Program& program) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {QObject::tr("Name"), Kind::Name, {}, 0, false},
      {QObject::tr("Kind"), Kind::Text, {}, 0, false},
      {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Over the run, with the functions that are called"), 0, true},
      {QObject::tr("Own"), Kind::Cycles, QObject::tr("Over the run, without the functions that are called"), 0, false, true},
      tables::optional({QObject::tr("Steps"), Kind::Count, QObject::tr("Steps inside"), 0, false, true}),
      {QObject::tr("Calls"), Kind::Count, QObject::tr("Steps that call it"), 0, false},
      tables::optional(
          tables::ofOthers({QObject::tr("First called in"), Kind::Name,
                            QObject::tr("The path of the first step that calls it tells it from others"), 0, false})),
      tables::optional({QObject::tr("Executions"), Kind::Count, {}, 0, false}),
      tables::optional(
          {QObject::tr("Code"), Kind::Bytes, QObject::tr("Exchange and control code, over all tiles"), 0, false, true}),
      tables::optional({QObject::tr("Id"), Kind::Count, QObject::tr("program_step.id, as Query and the command line have it")})};
  for (const auto& root : analyser::program::rootsOf(program)) {
    const auto& node = program.nodes[std::size_t(root.node)];
    tables::Row row;
    row.id = root.node;
    row.cells = {reportText(node.title.empty() ? node.kind : node.title),
                 reportText(node.kind),
                 node.inclusive.value(),
                 node.cycles.value(),
                 root.steps,
                 tables::cellIf(node.kind == "Function", root.calls),
                 firstCallOf(program, root),
                 tables::cellIf(node.executions > 0, node.executions),
                 node.codeBytes.value(),
                 int64_t(node.id.value())};
    table->rows.push_back(std::move(row));
  }
  return table;
}

namespace {

// Whether the step reads or writes a variable, or begins or ends its life; empty if it only lives on.
QString useText(const analyser::liveness::LiveVariable& v, int64_t ordinal, const analyser::program::StepDetails& step) {
  const bool begins = !v.alwaysLive && v.live.begin == ordinal, ends = !v.alwaysLive && v.live.end == ordinal + 1;
  const auto isIn = [&](const std::vector<int64_t>& ids) {
    return v.variable.valid() && std::binary_search(ids.begin(), ids.end(), int64_t(v.variable.value()));
  };
  const bool reads = isIn(step.reads), writes = isIn(step.writes);
  // A life may begin or end at a step that does not touch the variable: those of a function begin with its first step.
  const bool isTold = step.knowsUses;
  if (begins && ends && (reads || writes || !isTold)) return QObject::tr("only here");
  if (begins && (writes || !isTold)) return QObject::tr("written first");
  if (ends && (reads || !isTold)) return QObject::tr("read last");
  return reads && writes ? QObject::tr("read and written")
         : reads         ? QObject::tr("read")
         : writes        ? QObject::tr("written")
                         : QString();
}

} // namespace

std::shared_ptr<const tables::Tree> variableTree(const analyser::liveness::LiveAtStep& live,
                                                 const analyser::program::StepDetails& step) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {{QObject::tr("Variable"), Kind::Text, {}, 150, false},
                   {QObject::tr("Here"), Kind::Text,
                    QObject::tr("Whether the step reads or writes it, and whether its life begins or ends here"), 110, false},
                   {QObject::tr("Bytes"), Kind::Bytes, QObject::tr("Over all tiles"), 80, false},
                   tables::optional({QObject::tr("Tiles"), Kind::Count, {}, 64, false}),
                   tables::optional({QObject::tr("Live"), Kind::Text, {}, 96, false})};
  tree->columns.front().grows = true;
  std::vector<tables::TreeRow> used, others;
  int64_t bytes = 0;
  for (const auto* list : {&live.notAlwaysLive, &live.alwaysLive})
    for (const auto& v : *list) {
      tables::TreeRow row;
      row.id = v.variable.valid() ? int64_t(v.variable.value()) : -1;
      row.swatch = tables::swatchOf([&](bool dark) { return theme::memoryColour(v.category, dark); });
      const QString here = useText(v, live.step, step);
      row.cells = {reportText(v.name), here, v.bytes.value(), v.tiles,
                   v.alwaysLive ? QObject::tr("always") : QObject::tr("not always")};
      if (here.isEmpty()) bytes += v.bytes.value();
      (here.isEmpty() ? others : used).push_back(std::move(row));
    }
  const auto larger = [](const tables::TreeRow& a, const tables::TreeRow& b) {
    return std::get<int64_t>(a.cells[2]) > std::get<int64_t>(b.cells[2]);
  };
  std::stable_sort(used.begin(), used.end(), larger), std::stable_sort(others.begin(), others.end(), larger);
  tree->rows = std::move(used);
  if (others.empty()) return tree;
  tables::TreeRow rest;
  rest.id = kAlsoAlive;
  rest.cells = {QObject::tr("also alive"),
                theme::plural(int64_t(others.size()), QObject::tr("variable"), QObject::tr("variables")), bytes, tables::Cell(),
                QString()};
  const int parent = int(tree->rows.size());
  tree->rows.push_back(std::move(rest));
  for (tables::TreeRow& row : others) row.parent = parent, tree->rows.push_back(std::move(row));
  return tree;
}

} // namespace ui::program
