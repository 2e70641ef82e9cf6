// Images of plots for a mail or a paper: a plot with the property kPicture can be copied or saved by a right click on it, alone
// or with the whole view, in its own size or a chosen one. An image has twice the screen's pixels; SVG and PDF have lines and
// text. Hover lines and tooltips are left out.
#pragma once

#include <QPointer>
#include <QSize>
#include <QString>
#include <QWidget>

class QPixmap;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

inline constexpr const char* kPicture = "picture"; // property of a plot; true
// Property of a plot; true: a click in it selects nothing that other views know, so its menu is not about their selection.
inline constexpr const char* kSelectsNothing = "selectsNothing";

// The plot at or around a widget, searched up to `view`; null: none.
QWidget* pictured(QWidget* widget, const QWidget& view);
// A widget as an image, with its title and legend above it, if any. A view may delete its plots while a dialog is open.
struct Picture {
  QPointer<QWidget> widget;
  QPointer<QWidget> legend = {};
  QString title = {};
  QSize size = {};               // of the widget in the image, in screen pixels; invalid: its current size
  theme::Theme* paper = nullptr; // the image has this theme's light colours; null: those of the window
};
// Asks for the size of an image. Invalid: cancelled.
QSize askPictureSize(QWidget& widget);
// The legend that belongs to a plot of a view; null: none.
QWidget* legendOf(const QWidget& plot, const QWidget& view);
// Asks for a file and writes the image there as PNG, SVG or PDF. Returns the reason of a failure; empty: written or cancelled.
QString savePicture(const Picture& picture, const QString& proposedName);
// Writes the image to a given file. The file is written whole or not at all. Returns the reason of a failure; empty: written.
// Fails if the widget was deleted.
QString writePicture(const Picture& picture, const QString& file);
// Writes a pixmap as PNG.
QString writePicture(const QPixmap& picture, const QString& file);
void copyPicture(const Picture& picture);
// File name for a title: "Memory per tile" becomes "memory-per-tile".
QString pictureName(const QString& title);

} // namespace ui::shell
