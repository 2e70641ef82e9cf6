// Pictures of plots for a mail or a paper: a plot says that it is one (the property kPicture), and a right click anywhere on it
// offers to copy or save it, alone or with the whole view, as large as it is or in a size that is asked for. A picture has twice the
// screen's pixels; SVG and PDF have lines and text. Hover lines and cards are left out.
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

inline constexpr const char* kPicture = "picture"; // of a widget: true

// The plot at or around a widget, up to `view`; null: none.
QWidget* pictured(QWidget* widget, const QWidget& view);
// A widget as a picture; with a title and a legend above it if it has them. A view may delete its plots while a dialog asks.
struct Picture {
  QPointer<QWidget> widget;
  QPointer<QWidget> legend = {};
  QString title = {};
  QSize size = {};               // of the widget in the picture, pixels of the screen; invalid: as large as it is
  theme::Theme* paper = nullptr; // the picture has this theme's light colours; null: those of the window
};
// Asks for the size of a picture. Invalid: not wanted.
QSize askPictureSize(QWidget& widget);
// The legend that a plot of a view is drawn with; null: none.
QWidget* legendOf(const QWidget& plot, const QWidget& view);
// Asks for a file and writes the picture there as its ending says: PNG, SVG or PDF. Returns why not; empty: written or not wanted.
QString savePicture(const Picture& picture, const QString& proposedName);
// The same without asking. The file is written whole or not at all; a widget that is gone is a reason, too.
QString writePicture(const Picture& picture, const QString& file);
// As PNG.
QString writePicture(const QPixmap& picture, const QString& file);
void copyPicture(const Picture& picture);
// "memory-per-tile" of "Memory per tile".
QString pictureName(const QString& title);

} // namespace ui::shell
