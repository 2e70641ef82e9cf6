#include "ui/views/host/slice_facts.h"

#include "ui/shell/report_text.h"
#include "ui/views/host/host_source.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ui::host {

using shell::reportText;
using tables::Kind;

namespace {
constexpr int kMostFacts = 100;
constexpr qsizetype kMostText = 2000;

QString valueText(const QJsonValue& value) {
  QString text;
  if (value.isString())
    text = value.toString();
  else if (value.isDouble())
    text = QString::number(value.toDouble(), 'g', 15);
  else if (value.isBool())
    text = value.toBool() ? QStringLiteral("true") : QStringLiteral("false");
  else if (value.isNull())
    text = QStringLiteral("null");
  else
    text = QString::fromUtf8(value.isArray() ? QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact)
                                             : QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
  return reportText(text.left(kMostText).toStdString());
}
} // namespace

std::vector<shell::Fact> jsonFacts(const std::string& json) {
  std::vector<shell::Fact> facts;
  if (json.empty()) return facts;
  const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(json));
  if (!document.isObject()) {
    facts.push_back({QObject::tr("Details"), reportText(json.substr(0, std::size_t(kMostText))), {}, true});
    return facts;
  }
  const QJsonObject object = document.object();
  for (auto member = object.begin(); member != object.end() && int(facts.size()) < kMostFacts; ++member) {
    // One object within another, such as {"snapshot": {…}}, shows its inside.
    if (object.size() == 1 && member->isObject()) {
      const QJsonObject inside = member->toObject();
      for (auto inner = inside.begin(); inner != inside.end() && int(facts.size()) < kMostFacts; ++inner)
        facts.push_back({reportText(inner.key().toStdString()), valueText(*inner), {}, true});
      break;
    }
    facts.push_back({reportText(member.key().toStdString()), valueText(*member), {}, true});
  }
  return facts;
}

std::shared_ptr<const tables::Table> flowTable(const std::vector<FlowRow>& flows, const OpenHost& host,
                                               const std::function<QString(reports::TrackId)>& threadOf) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {QObject::tr("Direction"), Kind::Text, {}, 0, false},
      {QObject::tr("Flow"), Kind::Name, {}, 0, false},
      {QObject::tr("Slice"), Kind::Name, {}, 0, false},
      {QObject::tr("Thread"), Kind::Text, {}, 0, false},
      {QObject::tr("After"), Kind::Nanoseconds, QObject::tr("From where it leaves to where it arrives"), 100, false}};
  for (const FlowRow& f : flows) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {f.leaves ? QObject::tr("to") : QObject::tr("from"),
                 reportText(host.session().text(reports::StringId(std::size_t(f.flow.name)))),
                 f.other ? reportText(host.session().text(f.other->name)) : QString(), threadOf(f.otherTrack),
                 f.flow.toTick - f.flow.fromTick};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::host
