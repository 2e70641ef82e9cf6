// The legend of a value: a caption, the text at both ends, and the colours between them.
#pragma once

#include <QString>

class QPainter;
class QPoint;

namespace ui::theme {
class Theme;
}

namespace ui::plot {

struct ColourScale {
  QString caption, low, high;
  bool differences = false; // zero, in the middle, is marked
};

inline constexpr int kColourScaleHeight = 16;

// Paints from the top left corner `at`, with `bar` pixels of colours. Returns the total width.
int paintColourScale(QPainter& painter, const theme::Theme& theme, const QPoint& at, int bar, const ColourScale& scale);

} // namespace ui::plot
