// The data of both models for one cell: text, alignment, font, colour, tooltip.
#pragma once

#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <QVariant>

namespace ui::theme {
class Theme;
}

namespace ui::tables {

// `largest` is the largest magnitude in the column, for bars.
QVariant cellRole(const Row& row, int column, const Column& description, int role, const theme::Format& format,
                  const theme::Theme& theme, double largest);
// Columns of cycles are named after the displayed unit.
QVariant headerRole(const Column& column, int section, int role, const theme::Format& format);
std::vector<double> largestValues(const std::vector<Column>& columns, const std::vector<const Row*>& rows);

} // namespace ui::tables
