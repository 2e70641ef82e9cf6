// The colours of the product, defined once: ui/theme converts them for the toolkit, the HTML page for styles and scripts.
// Category hues come from Okabe and Ito; only their lightness differs. Each has a contrast of at least 3:1 with the surface it
// is on, and colour-blind people can distinguish activities. A test of ui/theme checks both.
#pragma once

#include "reports/core/categories.h"

#include <string>

namespace analyser {

// 0xRRGGBB on a light and on a dark surface.
struct Colour {
  uint32_t light = 0, dark = 0;
  uint32_t on(bool isDark) const { return isDark ? dark : light; }
};

struct SurfaceColours {
  Colour background{0xF6F7F9, 0x14161A}, surface{0xFFFFFF, 0x1B1E24}, raised{0xFFFFFF, 0x242830};
  Colour text{0x1B1F24, 0xE6E8EB}, secondary{0x57606A, 0x9DA7B3}, disabled{0x8C959F, 0x6E7681};
  Colour line{0xD0D7DE, 0x343A43}, grid{0xE6EAEE, 0x2A2F37};
  Colour accent{0x0B6BCB, 0x58A6FF};                                                     // selection, focus, links
  Colour accentText{0xFFFFFF, 0x0B1520};                                                 // text on an accent fill
  Colour good{0x1A7F37, 0x3FB950}, warning{0x9A6700, 0xD29922}, bad{0xCF222E, 0xF85149}; // with an icon or a sign, never alone
  Colour hover{0xEBEEF2, 0x262B33}, pressed{0xE1E6EB, 0x2E343D};                         // fills under the pointer
  Colour selection{0xDCEBFA, 0x1F3A5C};                                                  // fill of a selected row
};
inline constexpr SurfaceColours kSurfaceColours;
inline constexpr uint32_t kDarkInk = 0x14161A, kLightInk = 0xFFFFFF; // for text on a fill: use the one with the higher contrast

Colour memoryColour(reports::MemoryCategory category);
Colour activityColour(reports::Activity activity);
Colour restColour();            // for the legend entry of all remaining items
Colour seriesColour(int index); // for other series; sixteen colours, which repeat

std::string cssColour(uint32_t rgb); // "#0072b2"

} // namespace analyser
