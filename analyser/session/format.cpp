#include "analyser/session/format.h"

#include "reports/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

namespace analyser {

namespace {

constexpr std::array<const char*, 7> kDecimal{"", "k", "M", "G", "T", "P", "E"};
constexpr std::array<const char*, 7> kBinary{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

std::string grouped(std::string_view digits, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += separator;
    out += digits[i];
  }
  return out;
}

// Groups the digits after the point in threes: "37242" -> "372 42".
std::string groupedFraction(std::string_view digits, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && i % 3 == 0) out += separator;
    out += digits[i];
  }
  return out;
}

std::string fixed(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

std::string withUnit(const std::string& number, const NumberStyle& style, std::string_view unit) {
  return number + std::string(style.space) + std::string(unit);
}

// A number whose prefix keeps it below 1,000. 999.5 would print as "1,000" with three digits, so it has the next prefix.
std::string scaled(double value, std::string_view unit, double base, const std::array<const char*, 7>& prefixes,
                   const NumberStyle& style) {
  if (!std::isfinite(value)) return std::string(style.missing);
  std::size_t step = 0;
  while (std::abs(value) >= 999.5 && step + 1 < prefixes.size()) value /= base, ++step;
  const std::string prefix = prefixes[step] + std::string(unit);
  return prefix.empty() ? formatThreeDigits(value, style) : withUnit(formatThreeDigits(value, style), style, prefix);
}

template<class T> std::string withSign(T value, std::string text) { return value > T(0) ? "+" + text : text; }

std::string_view cyclesUnit(int64_t count) { return count == 1 ? "cycle" : "cycles"; }

} // namespace

std::string formatSignificant(double value, int digits, const NumberStyle& style) {
  if (!std::isfinite(value)) return std::string(style.missing);
  if (value == 0) return "0";
  const std::string sign(value < 0 ? style.minus : std::string_view());
  const double size = std::abs(value);
  const std::string scientific = fmt::format("{:.{}e}", size, digits - 1); // rounds, so that 99.96 has the exponent of 100
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent < -4) return sign + scientific;
  const std::string text = fixed(size, std::max(0, digits - 1 - exponent));
  const auto point = std::min(text.find('.'), text.size());
  return sign + grouped(std::string_view(text).substr(0, point), style.group) + text.substr(point);
}

std::string formatThreeDigits(double value, const NumberStyle& style) { return formatSignificant(value, 3, style); }

std::string formatCount(int64_t value, const NumberStyle& style) {
  const uint64_t magnitude = value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  return std::string(value < 0 ? style.minus : std::string_view()) + grouped(std::to_string(magnitude), style.group);
}

std::string formatSi(double value, std::string_view unit, const NumberStyle& style) {
  if (std::abs(value) < 1000 && value == std::floor(value)) {
    const std::string text = formatCount(int64_t(value), style);
    return unit.empty() ? text : withUnit(text, style, unit);
  }
  return scaled(value, unit, 1000, kDecimal, style);
}

std::string formatRate(double perSecond, std::string_view unit, const NumberStyle& style) {
  return formatSi(perSecond, unit, style);
}

std::string formatBytesExact(reports::Bytes value, const NumberStyle& style) {
  return withUnit(formatCount(value.value(), style), style, "B");
}

std::string formatBytes(reports::Bytes value, const NumberStyle& style) {
  const int64_t v = value.value();
  const int64_t base = style.bytes == ByteUnit::Binary ? 1024 : 1000;
  if (style.bytes == ByteUnit::Plain || (v > -base && v < base)) return formatBytesExact(value, style);
  return scaled(double(v), "B", double(base), style.bytes == ByteUnit::Binary ? kBinary : kDecimal, style);
}

std::string formatCycles(reports::Cycles value, const NumberStyle& style) {
  return withUnit(formatCount(value.value(), style), style, cyclesUnit(value.value()));
}

std::string formatShortCycles(reports::Cycles value, const NumberStyle& style) {
  const int64_t v = value.value();
  if (v > -1000 && v < 1000) return formatCycles(value, style);
  return withUnit(formatSi(double(v), "", style), style, "cycles");
}

std::string formatSeconds(double seconds, const NumberStyle& style) {
  if (!std::isfinite(seconds)) return std::string(style.missing);
  const double size = std::abs(seconds);
  const auto in = [&](double unit, const char* name) { return withUnit(formatThreeDigits(seconds / unit, style), style, name); };
  if (size == 0 || size >= 0.9995) return in(1, "s");
  if (size < 999.5e-9) return in(1e-9, "ns");
  return size < 999.5e-6 ? in(1e-6, "µs") : in(1e-3, "ms");
}

std::string formatSecondsTo(double seconds, double apart, const NumberStyle& style) {
  if (!std::isfinite(seconds) || !std::isfinite(apart) || apart <= 0 || std::abs(seconds) <= apart)
    return formatSeconds(seconds, style);
  static constexpr std::pair<double, const char*> kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  const double size = std::abs(seconds);
  const auto* unit =
      std::find_if(std::begin(kUnits), std::prev(std::end(kUnits)), [size](const auto& u) { return size >= u.first; });
  const std::string text = fixed(size / unit->first, std::clamp(int(std::ceil(std::log10(unit->first / apart))) + 2, 0, 12));
  const auto point = std::min(text.find('.'), text.size());
  std::string number(seconds < 0 ? style.minus : std::string_view());
  number += grouped(std::string_view(text).substr(0, point), style.group);
  // A comma after the point would read as another number: digits there are grouped only by spaces.
  const std::string_view after = style.group == "," ? std::string_view() : style.group;
  if (point < text.size()) number += "." + groupedFraction(std::string_view(text).substr(point + 1), after);
  return withUnit(number, style, unit->second);
}

std::string formatNanoseconds(reports::Nanoseconds value, const NumberStyle& style) {
  return formatSeconds(double(value.value()) * 1e-9, style);
}

std::string formatPercent(double fraction, const NumberStyle& style) {
  if (!std::isfinite(fraction)) return std::string(style.missing);
  if (fraction != 0 && std::abs(fraction) < 1e-4)
    return withUnit(fraction > 0 ? "<0.01" : ">" + std::string(style.minus) + "0.01", style, "%");
  return withUnit(formatThreeDigits(fraction * 100, style), style, "%");
}

std::string formatSignedCount(int64_t value, const NumberStyle& style) { return withSign(value, formatCount(value, style)); }

std::string formatSignedBytes(reports::Bytes value, const NumberStyle& style) {
  return withSign(value.value(), formatBytes(value, style));
}

std::string formatSignedPercent(double fraction, const NumberStyle& style) {
  if (fraction != 0 && std::abs(fraction) < 1e-4) return withUnit(std::string(style.about) + "0", style, "%");
  return fraction > 0 ? "+" + formatPercent(fraction, style) : formatPercent(fraction, style);
}

std::string htmlText(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string printable(std::string_view name) { return reports::displayText(name, std::string_view::npos); }

std::string elideMiddle(std::string_view name, std::size_t width) {
  const std::vector<std::size_t> starts = reports::characterStarts(name);
  if (starts.size() <= width || width < 2) return std::string(name);
  const std::size_t head = (width - 1) / 2, tail = width - 1 - head;
  return std::string(name.substr(0, starts[head])) + "…" + std::string(name.substr(starts[starts.size() - tail]));
}

std::string elideEnd(std::string_view text, std::size_t width) {
  const std::vector<std::size_t> starts = reports::characterStarts(text);
  if (starts.size() <= width || width < 2) return std::string(text);
  return std::string(text.substr(0, starts[width - 1])) + "…";
}

namespace {
// Control characters are replaced by their codes, because a terminal executes them. Tabs and line ends stay: CSV can quote them.
std::string withoutControls(const std::string& text) {
  std::string safe;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("\t\r\n", at), text.size());
    safe += reports::displayText(std::string_view(text).substr(at, end - at), text.size() + 1);
    if (end < text.size()) safe += text[end];
    at = end + 1;
  }
  return safe;
}
} // namespace

std::string csvField(std::string text, bool isText) {
  if (isText) text = withoutControls(text);
  if (isText && !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) text = "'" + text;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

} // namespace analyser
