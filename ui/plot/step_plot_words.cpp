// A StepPlot in words and as a table: what screen readers tell of it, and its table twin.
#include "ui/plot/spoken.h"
#include "ui/plot/step_plot.h"

#include <algorithm>

namespace ui::plot {

namespace {
constexpr int64_t kMostRows = 100'000; // of the table: more than a machine has tiles

PlotColumn::Kind kindOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Bytes: return PlotColumn::Kind::Bytes;
  case ValueKind::Cycles: return PlotColumn::Kind::Cycles;
  case ValueKind::Share: return PlotColumn::Kind::Share;
  case ValueKind::Count: break;
  }
  return PlotColumn::Kind::Count;
}
} // namespace

QString StepPlot::positionText(int64_t position) const {
  return m_positionText ? m_positionText(position) : theme::count(position);
}

// "Memory. Tile 0 to 1,471: most 203 KiB at Tile 458. Limit: tile memory 624 KiB. Shown: code, data"
QString StepPlot::shows() const {
  const QString across = xAxis->label();
  const auto* caption = qobject_cast<const QCPItemText*>(item(1));
  QStringList titles;
  for (std::size_t i = 0; i < m_layers.size(); ++i)
    if (m_layersShown[i]) titles << m_layers[i].title;
  for (std::size_t i = 0; i < m_curves.size(); ++i)
    if (m_curvesShown[i]) titles << m_curves[i].title;
  const QString what = caption && !caption->text().isEmpty() ? caption->text() : m_name;
  if (m_count == 0 || titles.isEmpty()) return tr("%1. Nothing is shown").arg(what);
  int64_t most = 0, place = 0; // a zero is the most where nothing is above it
  const auto look = [&](const std::vector<int64_t>& values) {
    const auto end = values.begin() + std::ptrdiff_t(std::min(values.size(), std::size_t(m_count)));
    if (const auto high = std::max_element(values.begin(), end); high != end && *high > most)
      most = *high, place = high - values.begin();
  };
  look(m_sums);
  for (std::size_t i = 0; i < m_curves.size(); ++i)
    if (m_curvesShown[i]) look(*m_curves[i].values);
  QString text = tr("%1. %2 %3 to %4: most %5 at %2 %6")
                     .arg(what, across, positionText(0), positionText(m_count - 1), valueText(most), positionText(place));
  if (m_limit > 0) text += tr(". Limit: %1").arg(m_limitLabel.isEmpty() ? valueText(m_limit) : m_limitLabel);
  return text + tr(". Shown: %1").arg(titles.join(QStringLiteral(", ")));
}

void StepPlot::describeIt() {
  describe(*this, shows(),
           tr("Arrow keys move the cursor, Enter selects, W and S zoom, A and D pan, F shows everything, Ctrl+Shift+T lists the "
              "figures in a table"));
}

PlotTable StepPlot::table() const {
  PlotTable table;
  // Of more positions those from the left end of what is seen.
  const int64_t from = m_count <= kMostRows ? 0 : std::clamp<int64_t>(visible().begin, 0, m_count - kMostRows),
                end = std::min(m_count, from + kMostRows);
  const auto kind = kindOf(m_kind);
  const auto isNumber = [](const QString& text) {
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c.isDigit() || c.isSpace() || c == ','; });
  };
  bool areNumbers = true;
  for (int64_t p = from; p < end && areNumbers && m_positionText; ++p) areNumbers = isNumber(m_positionText(p));
  const auto numberOf = [](const QString& text) {
    int64_t number = 0;
    for (const QChar c : text)
      if (c.isDigit()) number = 10 * number + c.digitValue();
    return number;
  };
  table.columns.push_back({xAxis->label(), areNumbers ? PlotColumn::Kind::Count : PlotColumn::Kind::Words});
  std::vector<const std::vector<int64_t>*> series;
  const auto add = [&](const QString& title, const Values& values) {
    table.columns.push_back({title, kind});
    series.push_back(values.get());
  };
  for (std::size_t i = 0; i < m_layers.size(); ++i)
    if (m_layersShown[i]) add(m_layers[i].title, m_layers[i].values);
  const bool hasTotal = series.size() > 1;
  if (hasTotal) table.columns.push_back({tr("Total"), kind}), series.push_back(&m_sums);
  for (std::size_t i = 0; i < m_curves.size(); ++i)
    if (m_curvesShown[i]) add(m_curves[i].title, m_curves[i].values);
  const bool hasDifference = m_tellsDifference && series.size() == 2;
  if (hasDifference)
    table.columns.push_back({QStringLiteral("%1 − %2").arg(table.columns[2].title, table.columns[1].title), kind, true});
  table.left = m_count - (end - from);
  for (int64_t p = from; p < end; ++p) {
    auto& row = table.rows.emplace_back();
    if (areNumbers)
      row.push_back(m_positionText ? numberOf(m_positionText(p)) : p);
    else
      row.push_back(m_positionText(p));
    for (const auto* values : series)
      row.push_back(std::size_t(p) < values->size() ? PlotTable::Cell((*values)[std::size_t(p)]) : PlotTable::Cell());
    if (hasDifference && row[1].index() == 2 && row[2].index() == 2)
      row.push_back(std::get<int64_t>(row[2]) - std::get<int64_t>(row[1]));
    else if (hasDifference)
      row.emplace_back();
  }
  return table;
}

} // namespace ui::plot
