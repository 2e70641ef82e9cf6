#include "analyser/session/format.h"

#include "reports/core/text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace analyser {

namespace {

std::string grouped(const std::string& digits, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += separator;
    out += digits[i];
  }
  return out;
}

// The whole part of a number that formatThreeDigits made, with separators: "1023" → "1,023".
std::string groupedThreeDigits(double value, std::string_view separator) {
  std::string text = formatThreeDigits(value);
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.erase(0, 1);
  const auto point = text.find('.');
  if (point == std::string::npos && text.find_first_not_of("0123456789") == std::string::npos) text = grouped(text, separator);
  return negative ? "-" + text : text;
}

std::string scaled(double value, std::string_view unit, double base, const std::array<const char*, 6>& prefixes,
                   const NumberStyle& style) {
  std::size_t step = 0;
  while (std::abs(value) >= base && step + 1 < prefixes.size()) {
    value /= base;
    ++step;
  }
  return groupedThreeDigits(value, style.group) + " " + prefixes[step] + std::string(unit);
}

} // namespace

std::string formatThreeDigits(double value) {
  if (!std::isfinite(value)) return "n/a";
  if (value == 0) return "0";
  char text[64];
  std::snprintf(text, sizeof text, "%.2e", value); // rounds, so that 99.96 has the exponent of 100
  const int exponent = std::atoi(std::strchr(text, 'e') + 1);
  if (exponent < -4) return text;
  std::snprintf(text, sizeof text, "%.*f", exponent >= 2 ? 0 : 2 - exponent, value);
  return text;
}

std::string formatCount(int64_t value, const NumberStyle& style) {
  const bool negative = value < 0;
  const uint64_t magnitude = negative ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  return (negative ? "-" : "") + grouped(std::to_string(magnitude), style.group);
}

std::string formatSignedCount(int64_t value, const NumberStyle& style) {
  return (value > 0 ? "+" : "") + formatCount(value, style);
}

std::string formatBytes(reports::Bytes value, const NumberStyle& style) {
  static constexpr std::array<const char*, 6> kBinary{"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  static constexpr std::array<const char*, 6> kDecimal{"", "k", "M", "G", "T", "P"};
  const int64_t v = value.value();
  const int64_t base = style.bytes == ByteUnit::Binary ? 1024 : 1000;
  if (style.bytes == ByteUnit::Plain || (v > -base && v < base)) return formatCount(v, style) + " B";
  return scaled(double(v), "B", double(base), style.bytes == ByteUnit::Binary ? kBinary : kDecimal, style);
}

std::string formatSignedBytes(reports::Bytes value, const NumberStyle& style) {
  return (value.value() > 0 ? "+" : "") + formatBytes(value, style);
}

std::string formatCycles(reports::Cycles value, const NumberStyle& style) {
  return formatCount(value.value(), style) + (value.value() == 1 ? " cycle" : " cycles");
}

std::string formatSeconds(double seconds) {
  if (!std::isfinite(seconds)) return "n/a";
  if (seconds == 0) return "0 s";
  const double magnitude = std::abs(seconds);
  if (magnitude < 999.5e-9) return formatThreeDigits(seconds * 1e9) + " ns";
  if (magnitude < 999.5e-6) return formatThreeDigits(seconds * 1e6) + " µs";
  if (magnitude < 999.5e-3) return formatThreeDigits(seconds * 1e3) + " ms";
  return groupedThreeDigits(seconds, ",") + " s";
}

std::string formatNanoseconds(reports::Nanoseconds value) { return formatSeconds(double(value.value()) * 1e-9); }

std::string formatSi(double value, std::string_view unit) {
  static constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  return scaled(value, unit, 1000, kPrefixes, {});
}

std::string formatRate(double perSecond, std::string_view unit) { return formatSi(perSecond, unit); }

std::string formatPercent(double fraction) {
  if (!std::isfinite(fraction)) return "n/a";
  if (fraction != 0 && std::abs(fraction) < 1e-4) return fraction > 0 ? "<0.01 %" : ">-0.01 %";
  return formatThreeDigits(fraction * 100) + " %";
}

std::string printable(std::string_view name) { return reports::displayText(name, std::string_view::npos); }

std::string elideMiddle(std::string_view name, std::size_t width) {
  const std::vector<std::size_t> starts = reports::characterStarts(name);
  if (starts.size() <= width || width < 2) return std::string(name);
  const std::size_t head = (width - 1) / 2, tail = width - 1 - head;
  return std::string(name.substr(0, starts[head])) + "…" + std::string(name.substr(starts[starts.size() - tail]));
}

std::string csvField(std::string text, bool isText) {
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
