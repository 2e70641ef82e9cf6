// How one cell reads, sorts and is copied. The only place where a column's kind becomes text.
#pragma once

#include "ui/tables/table.h"
#include "ui/theme/format.h"

namespace ui::tables {

QString cellText(const Cell& cell, Kind kind, const theme::Format& format);
// The exact value with its unit, for tooltips; empty where it would only repeat the text.
QString cellExact(const Cell& cell, Kind kind, const theme::Format& format);
// The plain value for export: no thousands, no unit, "." as point.
QString cellPlain(const Cell& cell);
// Unknown sorts below everything; text sorts without case, with numbers inside names by value.
bool cellLess(const Cell& a, const Cell& b);
double cellNumber(const Cell& cell);

} // namespace ui::tables
