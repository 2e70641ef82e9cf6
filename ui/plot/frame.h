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

// Whether the device keeps lines and areas (SVG, PDF). There an image of pixels would look coarse when it is enlarged.
bool keepsShapes(const QPainter& painter);
// Whether the painter's device draws what a clip should hide, as the writer of SVG does: then the surroundings are painted over it.
bool ignoresClips(const QPainter& painter);
// Fills `whole` but for `inside`.
void fillAround(QPainter& painter, const QRect& whole, const QRect& inside, const QColor& colour);
// Paints over the widget's content: corners are cleared to the page's background.
void paintFrame(QPainter& painter, const QWidget& widget, const theme::Theme& theme);

} // namespace ui::plot
