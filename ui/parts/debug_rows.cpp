#include "ui/parts/debug_rows.h"

#include "ui/theme/report_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ui::shell {

namespace {

QString plainValue(const QJsonValue& value) {
  if (value.isString()) return value.toString();
  if (value.isArray()) return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
  if (value.isBool()) return value.toBool() ? QObject::tr("yes") : QObject::tr("no");
  return value.isNull() ? QStringLiteral("–") : value.toVariant().toString();
}

// "bert.cpp:60 in embeddings"; empty if the object does not name a source file.
QString sourceText(const QJsonObject& source) {
  const QString file = source["file"].toString(), function = source["function"].toString();
  if (file.isEmpty()) return {};
  QString text = file;
  if (const auto line = qint64(source["line"].toDouble()); line > 0) text += QStringLiteral(":%1").arg(line);
  return function.isEmpty() ? text : QObject::tr("%1 in %2").arg(text, function);
}

class Rows {
public:
  int add(int parent, const QString& what, const QString& text, bool isLayer = false) {
    m_rows.push_back({parent, theme::reportText(what.toStdString()), theme::reportText(text.toStdString()), isLayer});
    return int(m_rows.size()) - 1;
  }

  // Adds one row per member of the object below `parent`, nested objects below their own row. Skips an "op" equal to `kind`.
  void addMembers(int parent, const QJsonObject& object, const std::string& kind, int depth = 0) {
    constexpr int kDeepest = 16;
    for (auto member = object.begin(); member != object.end() && depth < kDeepest; ++member) {
      const QJsonValue value = member.value();
      if (member.key() == QLatin1String("op") && value.toString().toStdString() == kind) continue;
      const QString source = member.key() == QLatin1String("source") ? sourceText(value.toObject()) : QString();
      const int row = add(parent, member.key(), !source.isEmpty() ? source : value.isObject() ? QString() : plainValue(value));
      if (value.isObject() && source.isEmpty()) addMembers(row, value.toObject(), {}, depth + 1);
    }
  }

  void addDetails(int parent, const analyser::DebugLayer& layer) {
    if (layer.detailsJson.empty()) return;
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(layer.detailsJson));
    if (json.isObject())
      addMembers(parent, json.object(), layer.kind);
    else
      add(parent, QObject::tr("details"), QString::fromStdString(layer.detailsJson));
  }

  std::vector<DebugRow> take() { return std::move(m_rows); }

private:
  std::vector<DebugRow> m_rows;
};

// Whether the layer is only a name, such as the name of a part of the model.
bool isName(const analyser::DebugLayer& layer) { return layer.kind.empty() && layer.detailsJson.empty(); }

} // namespace

std::vector<DebugRow> debugRows(const std::vector<analyser::DebugLayer>& chain) {
  Rows rows;
  int parent = -1;
  for (auto layer = chain.rbegin(); layer != chain.rend(); ++layer) {
    std::string name = layer->name;
    // Nested layers that are only names are joined to one path.
    while (isName(*layer) && layer + 1 != chain.rend() && isName(layer[1]) && layer[1].layer == layer->layer)
      ++layer, name += '/' + layer->name;
    // The name of the layer, or its kind if the layer around it has the same name.
    const bool isInside = layer != chain.rbegin() && layer[-1].layer == layer->layer && name != layer->kind;
    const std::string what = !layer->kind.empty() && (isInside || layer->layer.empty()) ? layer->kind : layer->layer;
    std::string text = layer->kind.empty() || layer->kind == what ? name : layer->kind;
    if (text == layer->kind && !name.empty() && name != text) text += " · " + name;
    parent = rows.add(parent, QString::fromStdString(what), QString::fromStdString(text), true);
    rows.addDetails(parent, *layer);
  }
  return rows.take();
}

std::shared_ptr<const tables::Tree> debugTree(const std::vector<analyser::DebugLayer>& chain) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {{"layer", QObject::tr("Layer"), tables::Kind::Text, {}, 132, false},
                   {"value", QObject::tr("Value"), tables::Kind::Text, {}, 0, false}};
  for (const DebugRow& made : debugRows(chain)) {
    tables::TreeRow row;
    row.parent = made.parent, row.id = int64_t(tree->rows.size());
    row.cells = {made.what, made.text};
    tree->rows.push_back(std::move(row));
  }
  return tree;
}

} // namespace ui::shell
