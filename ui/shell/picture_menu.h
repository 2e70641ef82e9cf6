// Pictures of plots for a mail or a paper: a plot says that it is one (the property kPicture), and a right click anywhere on it
// offers to copy or save it, alone or with the whole view. A picture has twice the screen's pixels; a PDF has lines and text.
#pragma once

#include <QString>

class QWidget;

namespace ui::shell {

inline constexpr const char* kPicture = "picture"; // of a widget: true

// The plot at or around a widget, up to `view`; null: none.
QWidget* pictured(QWidget* widget, const QWidget& view);
// Asks for a file and writes the widget there, as PNG or, by the ending, PDF. Returns why not; empty: written or not wanted.
QString savePicture(QWidget& widget, const QString& proposedName);
// The same without asking.
QString writePicture(QWidget& widget, const QString& file);
void copyPicture(QWidget& widget);
// "memory-per-tile" of "Memory per tile".
QString pictureName(const QString& title);

} // namespace ui::shell
