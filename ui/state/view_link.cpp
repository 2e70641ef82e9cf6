#include "ui/state/view_link.h"

#include "ui/state/report_file.h"

#include <QFileInfo>
#include <QUrl>
#include <QUrlQuery>

#include <algorithm>

namespace ui::shell {

namespace {

const QString kScheme = QStringLiteral("tilescope:"), kField = QStringLiteral("set.");
constexpr qsizetype kMostText = 100'000;        // characters: longer texts are not links
constexpr std::size_t kMostLinkTiles = 250'000; // numbers and ranges: more than twice the tiles of 64 IPUs

QString rangeText(reports::TickRange range) { return QStringLiteral("%1-%2").arg(range.begin).arg(range.end); }

reports::TickRange parseRange(const QString& text) {
  const QStringList parts = text.split('-');
  bool first = false, last = false;
  if (parts.size() != 2) return {};
  const reports::TickRange range{parts[0].toLongLong(&first), parts[1].toLongLong(&last)};
  return first && last && range.begin >= 0 && range.end > range.begin ? range : reports::TickRange();
}

// "0,5-8" as in the tile box.
QString tilesText(const std::vector<reports::TileId>& tiles) {
  QStringList parts;
  for (std::size_t i = 0; i < tiles.size();) {
    std::size_t last = i;
    while (last + 1 < tiles.size() && tiles[last + 1].value() == tiles[last].value() + 1) ++last;
    parts << (last == i ? QString::number(tiles[i].value())
                        : QStringLiteral("%1-%2").arg(tiles[i].value()).arg(tiles[last].value()));
    i = last + 1;
  }
  return parts.join(',');
}

std::vector<reports::TileId> parseTiles(const QString& text) {
  std::vector<reports::TileId> tiles;
  for (const QString& part : text.split(',', Qt::SkipEmptyParts)) {
    bool first = true, last = true;
    const quint32 from = part.section('-', 0, 0).toUInt(&first),
                  to = part.contains('-') ? part.section('-', 1).toUInt(&last) : from;
    if (!first || !last || to < from || to >= kMostLinkTiles || tiles.size() + (to - from) >= kMostLinkTiles) continue;
    for (quint32 tile = from; tile <= to; ++tile) tiles.emplace_back(std::size_t(tile));
  }
  if (!std::is_sorted(tiles.begin(), tiles.end())) std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  return tiles;
}

const QStringList kShown{QString(), QStringLiteral("other"), QStringLiteral("difference")}; // in the order of Shown

template<class Id> Id parseId(const QString& text) {
  bool ok = false;
  const quint32 value = text.toUInt(&ok);
  return ok ? Id(std::size_t(value)) : Id();
}

// "236,240": the variable, and the variables drawn beside it.
QString variablesText(const Place& place) {
  if (!place.variable.valid()) return {};
  QStringList numbers{QString::number(place.variable.value())};
  for (const auto variable : place.beside) numbers << QString::number(variable.value());
  return numbers.join(',');
}

void parseVariables(const QString& text, Place& place) {
  constexpr qsizetype kMost = 64; // more than can be drawn
  const QStringList numbers = text.split(',');
  place.variable = parseId<reports::VariableId>(numbers.front());
  for (const QString& number : numbers.mid(1, kMost))
    if (const auto id = parseId<reports::VariableId>(number); id.valid() && place.variable.valid()) place.beside.push_back(id);
}

} // namespace

QString linkText(const ViewLink& link) {
  QUrlQuery query;
  const auto add = [&query](const QString& key, const QString& value) {
    if (!value.isEmpty()) query.addQueryItem(key, QString::fromLatin1(QUrl::toPercentEncoding(value, "/,")));
  };
  for (qsizetype i = 0; i < link.reports.size(); ++i) {
    add("report", link.reports[i]);
    add("id", link.ids.value(i));
  }
  const Place& place = link.place;
  add("view", place.view);
  add("shown", kShown[int(place.shown)]);
  if (!place.range.empty()) add("range", rangeText(place.range));
  if (!place.measured.empty()) add("ruler", rangeText(place.measured));
  add("tiles", tilesText(place.tiles));
  if (place.step.valid()) add("step", QString::number(place.step.value()));
  if (place.operation.valid()) add("operation", QString::number(place.operation.value()));
  add("variable", variablesText(place));
  for (auto field = link.fields.begin(); field != link.fields.end(); ++field)
    add(kField + QString::fromLatin1(QUrl::toPercentEncoding(field.key())), field.value());
  return kScheme + '?' + query.query(QUrl::FullyEncoded);
}

std::optional<ViewLink> parseLink(const QString& text) {
  const QString trimmed = text.trimmed();
  if (!trimmed.startsWith(kScheme + '?') || trimmed.size() > kMostText) return std::nullopt;
  const QUrlQuery query(trimmed.mid(kScheme.size() + 1));
  ViewLink link;
  for (const auto& [key, encoded] : query.queryItems(QUrl::FullyEncoded)) {
    const QString value = QUrl::fromPercentEncoding(encoded.toUtf8());
    if (key == "report" && link.reports.size() < kMostReports) link.reports << value;
    if (key == "id" && !link.reports.isEmpty()) { // the id of the report named before it
      while (link.ids.size() < link.reports.size()) link.ids << QString();
      link.ids.back() = value;
    }
    if (key == "view") link.place.view = value;
    if (key == "shown" && kShown.contains(value)) link.place.shown = Shown(kShown.indexOf(value));
    if (key == "range") link.place.range = parseRange(value);
    if (key == "ruler") link.place.measured = parseRange(value);
    if (key == "tiles") link.place.tiles = parseTiles(value);
    if (key == "step") link.place.step = parseId<reports::ProgramStepId>(value);
    if (key == "operation") link.place.operation = parseId<reports::OperationId>(value);
    if (key == "variable") parseVariables(value, link.place);
    if (key.startsWith(kField)) link.fields[QUrl::fromPercentEncoding(key.mid(kField.size()).toUtf8())] = value;
  }
  // In links of the previous version, Compare has pages for programs and operations.
  const QString page = link.place.view == "compare" ? link.fields.value("tab") : QString();
  if (page == "program" || page == "operations") {
    link.place.view = page, link.place.shown = Shown::Difference;
    erase_if(link.fields, [&](std::pair<const QString&, QString&> field) { return !field.first.startsWith(page + '.'); });
    if (page == "operations") link.fields["tab"] = page;
  }
  // In these links, the difference of operations is a flat list.
  const bool isOfList = link.fields.contains("operations.filter") || link.fields.contains("operations.order");
  if (page == "operations" ||
      (link.place.view == "operations" && link.place.shown == Shown::Difference && isOfList && !link.fields.contains("rows")))
    link.fields["rows"] = "all";
  return link;
}

QString linkTitle(const ViewLink& link) {
  QStringList names;
  for (const QString& report : link.reports) names << QFileInfo(report).fileName();
  QString view = link.place.view;
  if (!view.isEmpty()) view[0] = view[0].toUpper();
  if (link.place.shown == Shown::Other) view += QObject::tr(" (B)");
  if (link.place.shown == Shown::Difference) view += QObject::tr(" (difference)");
  QStringList parts{names.isEmpty() ? view : QObject::tr("%1 of %2").arg(view, names.join(QStringLiteral(" ↔ ")))};
  if (const auto r = link.place.range; !r.empty())
    parts << QObject::tr("cycles %1 to %2").arg(theme::count(r.begin), theme::count(r.end));
  if (const auto r = link.place.measured; !r.empty()) parts << QObject::tr("ruler over %1 cycles").arg(theme::count(r.size()));
  if (const auto& tiles = link.place.tiles; !tiles.empty())
    parts << (tiles.size() == 1 ? QObject::tr("tile %1").arg(tiles.front().value())
                                : theme::plural(int64_t(tiles.size()), QObject::tr("tile"), QObject::tr("tiles")));
  return parts.join(QStringLiteral(", "));
}

} // namespace ui::shell
