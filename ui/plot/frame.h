// The frame of every plot: a rounded surface with one line, which turns to the accent colour with the keyboard focus.
#pragma once

class QColor;
class QPainter;
class QRect;
class QWidget;

namespace ui::theme {
class Theme;
}

namespace ui::plot {

// Whether what is painted stays lines and areas: SVG, PDF. A picture in pixels would be seen as such when it is made larger.
bool keepsShapes(const QPainter& painter);
// Whether the painter's device draws what a clip should hide, as the writer of SVG does: then what is around is painted over it.
bool ignoresClips(const QPainter& painter);
// Fills `whole` but for `inside`.
void fillAround(QPainter& painter, const QRect& whole, const QRect& inside, const QColor& colour);
// Paints over what is there: corners are cleared to the page's background.
void paintFrame(QPainter& painter, const QWidget& widget, const theme::Theme& theme);

} // namespace ui::plot
