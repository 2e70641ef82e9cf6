// The colours of categories on the page: those of the window, which a test of ui/theme compares with these. The page is drawn by a browser
// and cannot ask the theme, which is part of the toolkit.
#pragma once

#include "reports/core/categories.h"

namespace analyser::html {

struct PageColour {
  const char *light, *dark; // "#rrggbb", on a light and on a dark surface
  bool operator==(const PageColour& other) const { return light == other.light; }
};

PageColour memoryColour(reports::MemoryCategory category);
PageColour activityColour(reports::Activity activity);
PageColour restColour();            // of what is folded into one
PageColour seriesColour(int index); // of things that are neither; sixteen differ

} // namespace analyser::html
