#include "ui/theme/tokens.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ui::theme {

namespace {

Tokens lightTokens() {
  Tokens t;
  t.background = QColor(0xF6F7F9), t.surface = QColor(0xFFFFFF), t.raised = QColor(0xFFFFFF);
  t.text = QColor(0x1B1F24), t.secondary = QColor(0x57606A), t.disabled = QColor(0x8C959F);
  t.line = QColor(0xD0D7DE), t.grid = QColor(0xE6EAEE);
  t.accent = QColor(0x0B6BCB), t.accentText = QColor(0xFFFFFF);
  t.good = QColor(0x1A7F37), t.warning = QColor(0x9A6700), t.bad = QColor(0xCF222E);
  t.hover = QColor(0xEBEEF2), t.pressed = QColor(0xE1E6EB), t.selection = QColor(0xDCEBFA);
  return t;
}

Tokens darkTokens() {
  Tokens t;
  t.dark = true;
  t.background = QColor(0x14161A), t.surface = QColor(0x1B1E24), t.raised = QColor(0x242830);
  t.text = QColor(0xE6E8EB), t.secondary = QColor(0x9DA7B3), t.disabled = QColor(0x6E7681);
  t.line = QColor(0x343A43), t.grid = QColor(0x2A2F37);
  t.accent = QColor(0x58A6FF), t.accentText = QColor(0x0B1520);
  t.good = QColor(0x3FB950), t.warning = QColor(0xD29922), t.bad = QColor(0xF85149);
  t.hover = QColor(0x262B33), t.pressed = QColor(0x2E343D), t.selection = QColor(0x1F3A5C);
  return t;
}

double luminance(const QColor& c) {
  const auto channel = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
}

// The eight Okabe-Ito hues; the last is the neutral grey of idle time. On white their light ones must darken, which brings
// some to one lightness, and with it together for a colour-blind eye: those are darkened further, until a test of simulated
// eyes tells all of them apart.
enum Hue { Vermillion, Orange, Sky, Green, Purple, Yellow, Blue, Grey };

QColor hue(Hue h, bool dark) {
  switch (h) {
  case Vermillion: return dark ? QColor(0xD55E00) : QColor(0xC24E00);
  case Orange: return QColor(0xE69F00);
  case Sky: return QColor(0x56B4E9);
  case Green: return QColor(0x009E73);
  case Purple: return dark ? QColor(0xCC79A7) : QColor(0xA84A82);
  case Yellow: return dark ? QColor(0xF0E442) : QColor(0x848744);
  case Blue: return QColor(0x0072B2);
  case Grey: break;
  }
  return dark ? QColor(0x666D76) : QColor(0x8C959F);
}

// Step 0 is the hue itself, step 1 its second lightness: darker on a light surface, lighter on a dark one.
QColor category(Hue h, int step, bool dark) {
  QColor c = withContrast(hue(h, dark), tokens(dark).surface, 3.0);
  if (step) c = dark ? mix(c, Qt::white, 0.38) : mix(c, Qt::black, 0.34);
  return c;
}

} // namespace

const Tokens& tokens(bool dark) {
  static const Tokens light = lightTokens(), night = darkTokens();
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
  const QColor ink(0x14161A);
  return contrast(fill, ink) >= contrast(fill, Qt::white) ? ink : QColor(Qt::white);
}

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto blend = [share](int x, int y) { return int(std::lround(x + (y - x) * share)); };
  return QColor(blend(a.red(), b.red()), blend(a.green(), b.green()), blend(a.blue(), b.blue()));
}

QColor activityColour(reports::Activity activity, bool dark) {
  using reports::Activity;
  switch (activity) {
  case Activity::Compute: return category(Vermillion, 0, dark);
  case Activity::OnTileCopy: return category(Orange, 0, dark);
  case Activity::InternalExchange: return category(Sky, 0, dark);
  case Activity::GlobalExchange: return category(Green, 0, dark);
  case Activity::HostStream: return category(Purple, 0, dark);
  case Activity::Sync: return category(Yellow, 0, dark);
  case Activity::Control: return category(Blue, 0, dark);
  case Activity::Idle: return category(Grey, 0, dark);
  case Activity::Scope: break;
  }
  // A span around steps stays behind them: a quiet slate, bluer than the grey of idle time.
  return dark ? QColor(0x5E7699) : QColor(0x7389AE);
}

// What a legend most often holds has the hues of the palette; the others have colours between them. Any two stay about twelve
// apart (CIEDE2000) in each theme, as far as eight hues of two lightnesses do not: pale blues met, and pale oranges.
QColor memoryColour(reports::MemoryCategory c, bool dark) {
  using enum reports::MemoryCategory;
  const auto between = [dark](QRgb light, QRgb night) { return QColor(dark ? night : light); };
  switch (c) {
  case Variable: return category(Blue, 0, dark);
  case Constant: return category(Sky, 0, dark);
  case VertexCode:
  case SharedCodeStorage: return category(Vermillion, 0, dark);
  case InternalExchangeCode: return category(Orange, 0, dark);
  case HostExchangeCode: return between(0xA98B7E, 0x916808);
  case GlobalExchangeCode: return between(0x8A6242, 0xB89878);
  case ControlCode: return category(Purple, 0, dark);
  case ControlTable: return between(0x5E2750, 0xA66CD9);
  case ControlId: return between(0x3D1A0B, 0x8D675E);
  case VertexInstanceState: return category(Green, 0, dark);
  case VertexFieldData: return between(0x005740, 0x7FE3C4);
  case VectorListDescriptor: return between(0x5E8C1B, 0xA2C93F);
  case Stack: return between(0x524A00, 0xF0E442); // the light hue lies beside the headers'
  case Message: return between(0x3A3FA8, 0x8E98FF);
  case HostMessage: return between(0x669994, 0x4C969E);
  case GlobalMessage: return between(0x007E86, 0x5CD3DE);
  case CopyDescriptor: // packet headers are small: both are hardly ever in one legend
  case HostExchangePacketHeader:
  case GlobalExchangePacketHeader: return between(0x7D7A2E, 0xA89E4E);
  case InstrumentationResults: return between(0x4A5058, 0xC6CACF);
  case Rearrangement: return between(0x9A2F45, 0xF29CA3);
  case SharedDataStorage: break;
  }
  return category(Grey, 0, dark);
}

QColor seriesColour(int index, bool dark) {
  constexpr std::array order{Blue, Vermillion, Green, Orange, Purple, Sky, Yellow, Grey};
  return category(order[std::size_t(index) % order.size()], (index / int(order.size())) % 2, dark);
}

QColor quantityColour(double share, Scale scale) {
  using Stops = std::array<QRgb, 10>;
  // Sampled at ten equal steps; between them linear. Cividis: Nunez, Anderton, Renslow 2018. Viridis: van der Walt, Smith 2015.
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
