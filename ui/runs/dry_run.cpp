#include "ui/runs/dry_run.h"

#include "ui/theme/report_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace ui::shell {

namespace {

reports::Bytes bytesOf(const QJsonObject& object, const char* key) { return reports::Bytes(object.value(key).toInteger()); }

std::vector<DryRun::Values> valuesOf(const QJsonArray& list) {
  std::vector<DryRun::Values> values;
  for (const QJsonValue value : list) {
    const QJsonObject v = value.toObject();
    values.push_back({v.value("name").toString(), v.value("type").toString(), v.value("shape").toString(),
                      v.value("elements").toInteger(), bytesOf(v, "bytes")});
  }
  return values;
}

// Texts may contain names from a model file, so they are untrusted.
QString textOf(const QJsonValue& value) { return theme::reportText(value.toString().toStdString()); }

void readFullest(const QJsonObject& o, DryRun& e) {
  const QJsonObject fullest = o.value("fullest").toObject();
  for (const QJsonValue value : fullest.value("tiles").toArray()) {
    const QJsonObject v = value.toObject();
    e.fullest.push_back({v.value("tile").toInteger(), bytesOf(v, "bytes"), bytesOf(v, "bytes_with_gaps")});
  }
  for (const QJsonValue value : fullest.value("categories").toArray()) {
    const QJsonObject v = value.toObject();
    e.parts.push_back({textOf(v.value("name")), bytesOf(v, "bytes"), bytesOf(v, "median_bytes")});
  }
  for (const QJsonValue value : fullest.value("variables").toArray()) {
    const QJsonObject v = value.toObject();
    e.variables.push_back({textOf(v.value("name")), textOf(v.value("category")), bytesOf(v, "bytes")});
  }
  for (const QJsonValue value : o.value("changes").toArray()) {
    const QJsonObject v = value.toObject();
    DryRun::Change change{textOf(v.value("title")), {}, textOf(v.value("why"))};
    for (const QJsonValue word : v.value("options").toArray()) change.options << word.toString();
    e.changes.push_back(std::move(change));
  }
}

} // namespace

std::optional<DryRun> dryRunOf(const QJsonDocument& json) {
  const QJsonObject o = json.object();
  const QJsonObject memory = o.value("memory").toObject(), weights = o.value("weights").toObject();
  if (memory.isEmpty()) return std::nullopt;
  DryRun e;
  e.fits = o.value("state").toString() == QStringLiteral("fits");
  e.tiles = o.value("tiles").toInteger();
  e.maxTileWithGaps = memory.value("max_tile_with_gaps").toInteger(),
  e.overflowTiles = memory.value("overflow_tiles").toInteger();
  e.maxTileBytes = bytesOf(memory, "max_tile_bytes"), e.tileBytes = bytesOf(memory, "tile_bytes");
  e.maxTileWithGapsBytes = bytesOf(memory, "max_tile_with_gaps_bytes");
  e.totalBytes = bytesOf(memory, "total_bytes"), e.alwaysLiveBytes = bytesOf(memory, "always_live_bytes");
  e.weightElements = weights.value("elements").toInteger(), e.weightBytes = bytesOf(weights, "bytes");
  e.trained = o.value("trained").toString().section(QStringLiteral("; not trained: "), 0, 0);
  e.notTrained = o.value("not_trained").toString();
  e.inputs = valuesOf(o.value("inputs").toArray()), e.outputs = valuesOf(o.value("outputs").toArray());
  const QJsonObject kinds = o.value("kinds").toObject();
  for (auto it = kinds.begin(); it != kinds.end(); ++it) e.kinds.emplace_back(it.key(), it.value().toInteger());
  std::stable_sort(e.kinds.begin(), e.kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const QJsonValue value : o.value("operations").toArray()) {
    const QJsonObject v = value.toObject();
    e.operations.push_back({v.value("name").toString(), v.value("kind").toString(), bytesOf(v, "bytes")});
  }
  readFullest(o, e);
  return e;
}

} // namespace ui::shell
