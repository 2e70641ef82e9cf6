// The table of a plot in a separate window: its figures as rows, to filter, sort, copy and save. It does not follow later changes of
// the plot; Escape closes it.
#pragma once

#include <QString>

class QWidget;

namespace ui::theme {
class Format;
class Theme;
} // namespace ui::theme

namespace ui::shell {

class View;

// Whether a plot has a table: its own rows, or a table of the view that the plot names.
bool hasTable(const QWidget& plot, View& view);
// Asks for a file and writes the rows of the plot's table there, as CSV, Markdown or JSON.
void saveTable(QWidget& plot, View& view, const theme::Theme& theme, const theme::Format& format);
// Opens the table of the plot, or shows and focuses the table that it names. Does nothing if the plot has none.
void showTable(QWidget& plot, View& view, const theme::Theme& theme, const theme::Format& format);

} // namespace ui::shell
