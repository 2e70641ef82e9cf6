#include "ui/views/program/program_tables.h"

#include "ui/shell/report_text.h"
#include "ui/theme/tokens.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace ui::program {

using shell::reportText;
using tables::Kind;

QString stepTitle(const std::string& kind, const std::string& label) {
  if (label.empty() || label == kind) return reportText(kind);
  return QStringLiteral("%1 (%2)").arg(reportText(kind), reportText(label));
}

std::shared_ptr<const tables::Tree> programTree(const analyser::program::Program& program, bool dark) {
  auto tree = std::make_shared<tables::Tree>();
  const bool calls =
      std::any_of(program.nodes.begin(), program.nodes.end(), [](const auto& node) { return node.callee.valid(); });
  tree->columns = {
      {QObject::tr("Step"), Kind::Text, {}, 0, false},
      {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Over the run, with the functions that are called"), 120, true},
      {QObject::tr("Share"), Kind::Percent, QObject::tr("Of the whole program's cycles"), 76, false},
      tables::optional({QObject::tr("Executions"), Kind::Count, {}, 90, false})}; // the panel beside it says it, too
  if (calls)                                                                      // else it would repeat the cycles
    tree->columns.push_back(tables::optional(
        {QObject::tr("Own"), Kind::Cycles, QObject::tr("Over the run, without the functions that are called"), 100, false}));
  tree->rows.reserve(program.nodes.size());
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    const auto& node = program.nodes[i];
    tables::TreeRow row;
    row.parent = node.parent;
    row.id = int64_t(i);
    if (node.activity != reports::Activity::Scope) row.swatch = theme::activityColour(node.activity, dark);
    QString title = stepTitle(node.kind, node.label);
    if (node.repeatCount) title += QStringLiteral(" × %1").arg(*node.repeatCount);
    if (node.title.size() > node.label.size() + 1) // what tells it from its neighbours stands last: a narrow column cuts there
      title += QStringLiteral(" · ") + reportText(node.title.substr(0, node.title.size() - node.label.size() - 1));
    const bool counts = node.children == 0 || node.inclusive.value() > 0;
    row.cells = {title, tables::cellIf(counts, node.inclusive.value()),
                 tables::cellIf(counts, program.total.value() > 0 ? ratio(node.inclusive, program.total) : 0.0),
                 tables::cellIf(node.executions > 0, node.executions)}; // not known where nothing inside ran
    const bool hasOwn = !node.callee.valid() && (node.children == 0 || node.cycles.value() > 0);
    if (calls) row.cells.push_back(tables::cellIf(hasOwn, node.cycles.value()));
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

std::shared_ptr<const tables::Table> rootTable(const analyser::program::Program& program) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {QObject::tr("Name"), Kind::Name, {}, 0, false},
      {QObject::tr("Kind"), Kind::Text, {}, 0, false},
      {QObject::tr("Cycles"), Kind::Cycles, QObject::tr("Over the run, with the functions that are called"), 0, true},
      {QObject::tr("Own"), Kind::Cycles, QObject::tr("Over the run, without the functions that are called"), 0, false, true},
      {QObject::tr("Steps"), Kind::Count, QObject::tr("Steps inside"), 0, false, true},
      {QObject::tr("Calls"), Kind::Count, QObject::tr("Steps that call it"), 0, false},
      {QObject::tr("Executions"), Kind::Count, {}, 0, false},
      {QObject::tr("Code"), Kind::Bytes, QObject::tr("Control code over all tiles"), 0, false, true}};
  for (const auto& root : analyser::program::rootsOf(program)) {
    const auto& node = program.nodes[std::size_t(root.node)];
    tables::Row row;
    row.id = root.node;
    row.cells = {reportText(node.name.empty() ? node.kind : node.name),
                 reportText(node.kind),
                 node.inclusive.value(),
                 node.cycles.value(),
                 root.steps,
                 tables::cellIf(node.kind == "Function", root.calls),
                 tables::cellIf(node.executions > 0, node.executions),
                 node.codeBytes.value()};
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
  if (begins && ends) return QObject::tr("only here");
  if (begins) return QObject::tr("written first");
  if (ends) return QObject::tr("read last");
  return reads && writes ? QObject::tr("read and written")
         : reads         ? QObject::tr("read")
         : writes        ? QObject::tr("written")
                         : QString();
}

} // namespace

std::shared_ptr<const tables::Table> variableTable(const analyser::liveness::LiveAtStep& live,
                                                   const analyser::program::StepDetails& step, bool dark) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Variable"), Kind::Name, {}, 0, false},
                    {QObject::tr("Here"), Kind::Text,
                     QObject::tr("Whether the step reads or writes it, and whether its life begins or ends here"), 0, false},
                    {QObject::tr("Bytes"), Kind::Bytes, QObject::tr("Over all tiles"), 100, true, true},
                    {QObject::tr("Tiles"), Kind::Count, {}, 0, false},
                    {QObject::tr("Live"), Kind::Text, {}, 0, false}};
  std::vector<tables::Row> others;
  for (const auto* list : {&live.notAlwaysLive, &live.alwaysLive})
    for (const auto& v : *list) {
      tables::Row row;
      row.id = v.variable.valid() ? int64_t(v.variable.value()) : -1;
      row.swatch = theme::memoryColour(v.category, dark);
      const QString here = useText(v, live.step, step);
      row.cells = {reportText(v.name), here, v.bytes.value(), v.tiles,
                   v.alwaysLive ? QObject::tr("Always live") : QObject::tr("Not always live")};
      (here.isEmpty() ? others : table->rows).push_back(std::move(row));
    }
  table->rows.insert(table->rows.end(), others.begin(), others.end());
  return table;
}

namespace {

QString plainValue(const QJsonValue& value) {
  if (value.isString()) return value.toString();
  if (value.isArray()) return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
  if (value.isBool()) return value.toBool() ? QObject::tr("yes") : QObject::tr("no");
  return value.isNull() ? QStringLiteral("–") : value.toVariant().toString();
}

// An object's members below a row; objects inside one another below their own.
void addMembers(tables::Tree& tree, int parent, const QJsonObject& object, int depth) {
  constexpr int kDeepest = 16;
  for (auto member = object.begin(); member != object.end() && depth < kDeepest; ++member) {
    tables::TreeRow row;
    row.parent = parent, row.id = int64_t(tree.rows.size());
    const bool isObject = member.value().isObject();
    row.cells = {reportText(member.key().toStdString()),
                 isObject ? QString() : reportText(plainValue(member.value()).toStdString())};
    tree.rows.push_back(std::move(row));
    if (isObject) addMembers(tree, int(tree.rows.size()) - 1, member.value().toObject(), depth + 1);
  }
}

} // namespace

std::shared_ptr<const tables::Tree> debugTree(const analyser::program::StepDetails& details) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {{QObject::tr("Layer"), Kind::Text, {}, 0, false}, {QObject::tr("Value"), Kind::Text, {}, 0, false}};
  int parent = -1;
  for (auto layer = details.debug.rbegin(); layer != details.debug.rend(); ++layer) {
    tables::TreeRow row;
    row.parent = parent, row.id = int64_t(tree->rows.size());
    QString title = reportText(layer->kind.empty() ? layer->layer : layer->kind);
    if (!layer->layer.empty() && layer->layer != layer->kind) title = QObject::tr("%1 (%2)").arg(title, reportText(layer->layer));
    row.cells = {title, reportText(layer->name)};
    tree->rows.push_back(std::move(row));
    parent = int(tree->rows.size()) - 1;
    if (layer->detailsJson.empty()) continue;
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(layer->detailsJson));
    if (json.isObject()) {
      addMembers(*tree, parent, json.object(), 0);
    } else {
      tables::TreeRow raw;
      raw.parent = parent, raw.id = int64_t(tree->rows.size());
      raw.cells = {QObject::tr("details"), reportText(layer->detailsJson)};
      tree->rows.push_back(std::move(raw));
    }
  }
  return tree;
}

} // namespace ui::program
