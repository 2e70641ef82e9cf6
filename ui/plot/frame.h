// The frame of every plot: a rounded surface with a line, which has the accent colour while the plot has the keyboard focus.
#pragma once

class QColor;
class QPainter;
class QRect;
class QWidget;

namespace ui::theme {
class Theme;
}

namespace ui::plot {

// Whether the device keeps lines and areas as shapes (SVG, PDF). There an image of pixels would look coarse when it is enlarged.
bool keepsShapes(const QPainter& painter);
// Whether the painter's device also paints what a clip should hide, like Qt's SVG writer: then the caller paints the surroundings over it.
bool ignoresClips(const QPainter& painter);
// Fills `whole` except `inside`.
void fillAround(QPainter& painter, const QRect& whole, const QRect& inside, const QColor& colour);
// Paints over the widget's content: corners are cleared to the page's background.
void paintFrame(QPainter& painter, const QWidget& widget, const theme::Theme& theme);

} // namespace ui::plot
