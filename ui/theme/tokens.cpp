#include "ui/theme/tokens.h"

#include "analyser/session/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ui::theme {

namespace {

Tokens tokensOf(bool dark) {
  const analyser::SurfaceColours& c = analyser::kSurfaceColours;
  const auto of = [dark](analyser::Colour colour) { return QColor(colour.on(dark)); };
  return {.dark = dark,
          .background = of(c.background),
          .surface = of(c.surface),
          .raised = of(c.raised),
          .text = of(c.text),
          .secondary = of(c.secondary),
          .disabled = of(c.disabled),
          .line = of(c.line),
          .grid = of(c.grid),
          .accent = of(c.accent),
          .accentText = of(c.accentText),
          .good = of(c.good),
          .warning = of(c.warning),
          .bad = of(c.bad),
          .hover = of(c.hover),
          .pressed = of(c.pressed),
          .selection = of(c.selection)};
}

double luminance(const QColor& c) {
  const auto channel = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
}

} // namespace

const Tokens& tokens(bool dark) {
  static const Tokens light = tokensOf(false), night = tokensOf(true);
  return dark ? night : light;
}

double contrast(const QColor& a, const QColor& b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor withContrast(QColor colour, const QColor& surface, double ratio) {
  const QColor pole = luminance(surface) > 0.18 ? Qt::black : Qt::white;
  const QColor start = colour;
  for (int step = 1; step <= 100 && contrast(colour, surface) < ratio; ++step) colour = mix(start, pole, step / 100.0);
  return colour;
}

QColor textOn(const QColor& fill) {
  const QColor dark(analyser::kDarkInk), light(analyser::kLightInk);
  return contrast(fill, dark) >= contrast(fill, light) ? dark : light;
}

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto blend = [share](int x, int y) { return int(std::lround(x + (y - x) * share)); };
  return QColor(blend(a.red(), b.red()), blend(a.green(), b.green()), blend(a.blue(), b.blue()));
}

QColor activityColour(reports::Activity activity, bool dark) { return QColor(analyser::activityColour(activity).on(dark)); }

QColor memoryColour(reports::MemoryCategory category, bool dark) { return QColor(analyser::memoryColour(category).on(dark)); }

QColor seriesColour(int index, bool dark) { return QColor(analyser::seriesColour(index).on(dark)); }

QColor quantityColour(double share, Scale scale) {
  using Stops = std::array<QRgb, 10>;
  // Sampled at ten equal steps; linear between them. Cividis: Nunez, Anderton, Renslow 2018. Viridis: van der Walt, Smith 2015.
  static constexpr Stops cividis{0x00204D, 0x00336F, 0x39486B, 0x575C6D, 0x707173,
                                 0x8A8779, 0xA69D75, 0xC4B56C, 0xE4CF5B, 0xFFEA46};
  static constexpr Stops viridis{0x440154, 0x482878, 0x3E4A89, 0x31688E, 0x26828E,
                                 0x1F9E89, 0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725};
  static constexpr Stops grey{0x262626, 0x3C3C3C, 0x525252, 0x686868, 0x7E7E7E, 0x949494, 0xAAAAAA, 0xC0C0C0, 0xD6D6D6, 0xECECEC};
  const Stops& stops = scale == Scale::Viridis ? viridis : scale == Scale::Grey ? grey : cividis;
  const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const auto low = std::min(std::size_t(at), stops.size() - 2);
  return mix(QColor(stops[low]), QColor(stops[low + 1]), at - double(low));
}

QColor differenceColour(double share, bool dark) {
  const QColor zero = dark ? QColor(0x59616B) : QColor(0xB8BFC7);
  const QColor less = dark ? QColor(0x58B0F0) : QColor(0x0067B1), more = dark ? QColor(0xF2A33A) : QColor(0xC75300);
  share = std::clamp(share, -1.0, 1.0);
  return share < 0 ? mix(zero, less, -share) : mix(zero, more, share);
}

} // namespace ui::theme
