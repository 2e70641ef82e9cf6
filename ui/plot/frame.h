// The frame of every plot: a rounded surface with one line, which turns to the accent colour with the keyboard focus.
#pragma once

class QPainter;
class QWidget;

namespace ui::theme {
class Theme;
}

namespace ui::plot {

// Paints over what is there: corners are cleared to the page's background.
void paintFrame(QPainter& painter, const QWidget& widget, const theme::Theme& theme);

} // namespace ui::plot
