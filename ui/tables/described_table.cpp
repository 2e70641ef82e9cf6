#include "ui/tables/described_table.h"

#include "ui/theme/report_text.h"

#include <algorithm>

namespace ui::tables {

Cell cellOf(const analyser::columns::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return theme::reportText(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return *whole;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return {};
}

Column columnOf(std::string_view id, std::string_view title, Kind kind, std::string_view meaning, analyser::columns::Sum sum,
                const Look& look) {
  const auto text = [](std::string_view from) { return QString::fromUtf8(from.data(), qsizetype(from.size())); };
  const auto isIn = [&](const std::vector<std::string_view>& ids) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
  Column column{text(id), theme::reportText(title), kind, text(meaning)};
  column.bar = isIn(look.bars), column.isOptional = isIn(look.optional), column.namesOthers = isIn(look.ofOthers);
  column.total = sum == analyser::columns::Sum::Yes && look.hasTotals;
  for (const auto& [of, width] : look.widths)
    if (of == id) column.width = width;
  return column;
}

QString idOf(const QString& title) { return QString::fromStdString(analyser::columns::idOf(title.toStdString())); }

} // namespace ui::tables
