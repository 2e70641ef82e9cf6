// The colours of the product as plain values, without a widget or a palette, so that tests can compute contrast. The values come
// from analyser/session/palette.h, which the HTML page shares.
#pragma once

#include "reports/core/categories.h"

#include <QColor>

namespace ui::theme {

struct Tokens {
  bool dark = false;
  QColor background, surface, raised;
  QColor text, secondary, disabled;
  QColor line, grid;
  QColor accent, accentText;
  QColor good, warning, bad;
  QColor hover, pressed, selection;
};

// The tokens of one scheme.
const Tokens& tokens(bool dark);

// WCAG 2 contrast ratio, 1 to 21, of two opaque colours.
double contrast(const QColor& a, const QColor& b);
// `colour` made darker or lighter, with its hue, until it has the contrast `ratio` against `surface`.
QColor withContrast(QColor colour, const QColor& surface, double ratio);
// Black or white, whichever has more contrast on `fill`.
QColor textOn(const QColor& fill);
// `a` with `share` (0 to 1) of `b` mixed in.
QColor mix(const QColor& a, const QColor& b, double share);

QColor activityColour(reports::Activity activity, bool dark);
QColor memoryColour(reports::MemoryCategory category, bool dark);
// Colours for other series: a fixed cycle of the same hues.
QColor seriesColour(int index, bool dark);
// The colour scales of an amount: each grows lighter from low to high, so that it is readable in grey too.
enum class Scale { Cividis, Viridis, Grey };
// 0 is low, 1 is high.
QColor quantityColour(double share, Scale scale = Scale::Cividis);
// -1 is blue (less), 0 grey, +1 orange (more).
QColor differenceColour(double share, bool dark);

} // namespace ui::theme
