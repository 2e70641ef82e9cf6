// The table twin of a plot in a window of its own: its figures as rows, to filter, sort, copy and save. It stays as the plot was when
// it was asked for; Escape closes it.
#pragma once

#include <QString>

class QWidget;

namespace ui::theme {
class Format;
class Theme;
} // namespace ui::theme

namespace ui::shell {

class View;

// Whether a plot has a table twin: rows of its own, or a table of the view that it names.
bool hasTable(const QWidget& plot, View& view);
// Opens the twin, or brings the table that it names into sight with the keys on it. A plot without one is left alone.
void showTable(QWidget& plot, View& view, const theme::Theme& theme, const theme::Format& format);

} // namespace ui::shell
