// The text, order and copied form of a cell. The only code that turns a column's kind into text.
#pragma once

#include "ui/tables/table.h"
#include "ui/theme/format.h"

namespace ui::tables {

QString cellText(const Cell& cell, Kind kind, const theme::Format& format);
// The exact value with its unit, for tooltips; empty if it would only repeat the text.
QString cellExact(const Cell& cell, Kind kind, const theme::Format& format);
// The plain value for export: no thousands, no unit, "." as point.
QString cellPlain(const Cell& cell);
// Unknown sorts below everything; text sorts ignoring case, with numbers inside names by value.
bool cellLess(const Cell& a, const Cell& b);
double cellNumber(const Cell& cell);

} // namespace ui::tables
