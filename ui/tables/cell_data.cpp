#include "ui/tables/cell_data.h"

#include "ui/tables/cell_text.h"
#include "ui/tables/table_model.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace ui::tables {

namespace {
const Cell kNothing;

const Cell& cellAt(const Row& row, int column) {
  return std::size_t(column) < row.cells.size() ? row.cells[std::size_t(column)] : kNothing;
}
} // namespace

QVariant cellRole(const Row& row, int column, const Column& description, int role, const theme::Format& format,
                  const theme::Theme& theme, double largest) {
  const Cell& cell = cellAt(row, column);
  const Kind kind = row.kindAt(column, description.kind);
  switch (role) {
  case Qt::DisplayRole: return cellText(cell, kind, format);
  case Qt::ToolTipRole: {
    const QString exact = cellExact(cell, kind, format);
    return exact.isEmpty() || (kind == Kind::Text && exact.size() < 24) ? QVariant() : theme::tipText(exact);
  }
  case Qt::TextAlignmentRole: return QVariant(int((isNumeric(kind) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  case Qt::FontRole: return kind == Kind::Name || kind == Kind::Address ? QVariant(theme.mono()) : QVariant();
  case Qt::ForegroundRole: {
    if (std::holds_alternative<std::monostate>(cell)) return theme.tokens().disabled;
    if (!isDelta(kind)) return {};
    const double v = cellNumber(cell);
    if (v == 0) return theme.tokens().secondary;
    return theme::withContrast(theme.difference(v < 0 ? -1 : 1), theme.tokens().surface, 4.5);
  }
  case Qt::DecorationRole:
    return column == 0 && row.swatch.isValid() ? QVariant(theme.isDark() ? row.swatch.dark : row.swatch.light) : QVariant();
  case IdRole: return qlonglong(row.id);
  case PlainRole: return cellPlain(cell);
  case KindRole: return int(kind);
  case ShareRole: {
    const double number = cellNumber(cell); // NaN: unknown, drawn without a bar
    return description.bar && largest > 0 && !std::isnan(number) ? QVariant(std::abs(number) / largest) : QVariant();
  }
  default: return {};
  }
}

namespace {
// Whether figures of this kind are the device's: the tooltip then says if they are simulated or imported. Host times name their
// origin already.
bool isOfDevice(Kind kind) {
  return kind == Kind::Cycles || kind == Kind::TileCycles || kind == Kind::Bytes || kind == Kind::Flops;
}
} // namespace

QVariant headerRole(const Column& column, int section, int role, const theme::Format& format) {
  // Amounts sort from the largest first, names and locations in ascending order.
  if (role == Qt::InitialSortOrderRole)
    return int(section > 0 && isNumeric(column.kind) && column.kind != Kind::Address ? Qt::DescendingOrder : Qt::AscendingOrder);
  if (role == IdRole) return column.id;
  const bool isTime = (column.kind == Kind::Cycles || column.kind == Kind::CyclesDelta) && format.showsSeconds();
  if (role == Qt::DisplayRole)
    return isTime ? QString(column.title).replace(QObject::tr("Cycles"), QObject::tr("Time")) : column.title;
  if (role == Qt::ToolTipRole) {
    QStringList lines{column.tip};
    if (isOfDevice(column.kind) && !format.provenance().isEmpty())
      lines << QObject::tr("These figures are %1.").arg(format.provenance());
    lines.removeAll(QString());
    return lines.isEmpty() ? QVariant() : theme::tipText(lines.join('\n'));
  }
  if (role == Qt::TextAlignmentRole)
    return QVariant(int((isNumeric(column.kind) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  return {};
}

std::vector<double> largestValues(const std::vector<Column>& columns, const std::vector<const Row*>& rows) {
  std::vector<double> largest(columns.size(), 0);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c].bar) continue;
    if (columns[c].kind == Kind::Percent) largest[c] = 1; // a share has the range 0 to 1
    for (const Row* row : rows) {
      const double v = std::abs(cellNumber(cellAt(*row, int(c))));
      if (v > largest[c]) largest[c] = v; // false for an unknown value
    }
  }
  return largest;
}

} // namespace ui::tables
