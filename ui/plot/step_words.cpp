#include "ui/plot/step_words.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

namespace ui::plot {

namespace {
constexpr int64_t kMostRows = 100'000; // rows of the table: more than a machine has tiles

PlotColumn::Kind kindOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Bytes: return PlotColumn::Kind::Bytes;
  case ValueKind::Cycles: return PlotColumn::Kind::Cycles;
  case ValueKind::Share: return PlotColumn::Kind::Share;
  case ValueKind::Count: break;
  }
  return PlotColumn::Kind::Count;
}

// "tile" for "Tile"; "IPU" and names after the first word stay.
QString insideSentence(QString title) {
  if (title.size() > 1 && title[1].isLower()) title[0] = title[0].toLower();
  return title;
}
} // namespace

Card stepCard(const StepScene& scene, int64_t position) {
  const StepSeries& series = scene.series;
  Card card;
  card.title = scene.xTitle + ' ' + scene.positionText(position);
  const auto at = std::size_t(position);
  int64_t sum = 0;
  for (std::size_t i = series.layers().size(); i-- > 0;) {
    if (!series.isLayerShown(i) || at >= series.layers()[i].values->size()) continue;
    const int64_t v = (*series.layers()[i].values)[at];
    sum += v;
    if (v != 0) card.rows.push_back({series.layers()[i].title, scene.valueText(v), series.layers()[i].colour()});
  }
  if (series.layers().size() > 1) card.rows.push_back({QObject::tr("Total"), scene.valueText(sum), {}});
  for (std::size_t i = 0; i < series.curves().size(); ++i)
    if (series.isCurveShown(i) && at < series.curves()[i].values->size())
      card.rows.push_back(
          {series.curves()[i].title, scene.valueText((*series.curves()[i].values)[at]), series.curves()[i].colour()});
  return card;
}

QString stepWords(const StepScene& scene) {
  const StepSeries& series = scene.series;
  QStringList titles;
  for (std::size_t i = 0; i < series.layers().size(); ++i)
    if (series.isLayerShown(i)) titles << series.layers()[i].title;
  for (std::size_t i = 0; i < series.curves().size(); ++i)
    if (series.isCurveShown(i)) titles << series.curves()[i].title;
  const QString what = scene.yTitle.isEmpty() ? scene.name : scene.yTitle;
  if (series.count() == 0 || titles.isEmpty()) return QObject::tr("%1. Nothing is shown").arg(what);
  int64_t most = 0, place = 0; // the maximum is zero if no value is above it
  for (const auto* values : series.shown()) {
    const auto end = values->begin() + std::ptrdiff_t(std::min(values->size(), std::size_t(series.count())));
    if (const auto high = std::max_element(values->begin(), end); high != end && *high > most)
      most = *high, place = high - values->begin();
  }
  QString text = QObject::tr("%1. %2 %3 to %4: maximum %5 at %6 %7")
                     .arg(what, scene.xTitle, scene.positionText(0), scene.positionText(series.count() - 1),
                          scene.valueText(most), insideSentence(scene.xTitle), scene.positionText(place));
  if (scene.limit > 0)
    text += QObject::tr(". Limit: %1").arg(scene.limitLabel.isEmpty() ? scene.valueText(scene.limit) : scene.limitLabel);
  return titles.size() > 1 ? text + QObject::tr(". Shown: %1").arg(titles.join(QStringLiteral(", "))) : text;
}

PlotTable stepTable(const StepScene& scene, int64_t first) {
  const StepSeries& series = scene.series;
  PlotTable table;
  const int64_t from = series.count() <= kMostRows ? 0 : std::clamp<int64_t>(first, 0, series.count() - kMostRows),
                end = std::min(series.count(), from + kMostRows);
  const auto kind = kindOf(scene.kind);
  const auto isNumber = [](const QString& text) {
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c.isDigit() || c.isSpace() || c == ','; });
  };
  bool areNumbers = true;
  for (int64_t p = from; p < end && areNumbers && scene.textOfPosition; ++p) areNumbers = isNumber(scene.textOfPosition(p));
  const auto numberOf = [](const QString& text) {
    int64_t number = 0;
    for (const QChar c : text)
      if (c.isDigit()) number = 10 * number + c.digitValue();
    return number;
  };
  table.columns.push_back({scene.xTitle, areNumbers ? PlotColumn::Kind::Count : PlotColumn::Kind::Words});
  std::vector<const std::vector<int64_t>*> figures;
  const auto add = [&](const QString& title, const Values& values) {
    table.columns.push_back({title, kind});
    figures.push_back(values.get());
  };
  for (std::size_t i = 0; i < series.layers().size(); ++i)
    if (series.isLayerShown(i)) add(series.layers()[i].title, series.layers()[i].values);
  const bool hasTotal = figures.size() > 1;
  if (hasTotal) table.columns.push_back({QObject::tr("Total"), kind}), figures.push_back(&series.sums());
  for (std::size_t i = 0; i < series.curves().size(); ++i)
    if (series.isCurveShown(i)) add(series.curves()[i].title, series.curves()[i].values);
  const bool hasDifference = scene.isDifferenceTold && figures.size() == 2;
  if (hasDifference)
    table.columns.push_back({QStringLiteral("%1 − %2").arg(table.columns[2].title, table.columns[1].title), kind, true});
  table.left = series.count() - (end - from);
  for (int64_t p = from; p < end; ++p) {
    auto& row = table.rows.emplace_back();
    if (areNumbers)
      row.push_back(scene.textOfPosition ? numberOf(scene.textOfPosition(p)) : p);
    else
      row.push_back(scene.textOfPosition(p));
    for (const auto* values : figures) {
      PlotTable::Cell& cell = row.emplace_back();
      if (std::size_t(p) < values->size()) cell = (*values)[std::size_t(p)];
    }
    if (hasDifference && row[1].index() == 2 && row[2].index() == 2)
      row.push_back(std::get<int64_t>(row[2]) - std::get<int64_t>(row[1]));
    else if (hasDifference)
      row.emplace_back();
  }
  return table;
}

} // namespace ui::plot
