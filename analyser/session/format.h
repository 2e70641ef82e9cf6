// All formatting of numbers for people: three significant digits with a unit, grouped thousands, a chosen byte unit. Used by the
// command line and the window. They differ only in the separators of digits: text that other tools read has commas and spaces,
// the window has thin and hard spaces and a true minus.
#pragma once

#include "reports/core/units.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace analyser {

enum class ByteUnit { Binary, Decimal, Plain }; // KiB | kB | B

struct NumberStyle {
  ByteUnit bytes = ByteUnit::Binary;
  std::string_view group = ",";     // between thousands
  std::string_view space = " ";     // between number and unit
  std::string_view minus = "-";     // before a negative number
  std::string_view missing = "n/a"; // text for a number that is not finite
  std::string_view about = "~";     // before a difference that rounds to zero
};

std::string formatCount(int64_t value, const NumberStyle& style = {});             // 1,234,567
std::string formatSignificant(double value, int digits, const NumberStyle& style); // 1,234 or 12.34 with four digits
std::string formatThreeDigits(double value, const NumberStyle& style = {});        // 0.0123, 12.3, 123, 1,234
std::string formatSi(double value, std::string_view unit,
                     const NumberStyle& = {}); // 1.23 M<unit>; below 1,000 a whole number has no point
std::string formatBytes(reports::Bytes value, const NumberStyle& style = {});        // 209 KiB
std::string formatBytesExact(reports::Bytes value, const NumberStyle& style = {});   // 213,944 B
std::string formatCycles(reports::Cycles value, const NumberStyle& style = {});      // 1,234,567 cycles
std::string formatShortCycles(reports::Cycles value, const NumberStyle& style = {}); // 1.23 M cycles
std::string formatSeconds(double seconds, const NumberStyle& style = {});            // 12.3 µs
// All digits down to a hundredth of `apart` seconds, so that two times at that distance differ: "114.372 42 ms".
std::string formatSecondsTo(double seconds, double apart, const NumberStyle& style = {});
std::string formatNanoseconds(reports::Nanoseconds value, const NumberStyle& style = {}); // 1.23 ms
std::string formatRate(double perSecond, std::string_view unit, const NumberStyle& = {}); // 12.3 TFLOP/s from 1.23e13, "FLOP/s"
std::string formatPercent(double fraction, const NumberStyle& style = {}); // 0.334 -> "33.4 %"; between 0 and 0.01 %: "<0.01 %"
// These print a sign before the number: "+12.0 KiB", "-3 B"; zero has no sign.
std::string formatSignedCount(int64_t value, const NumberStyle& style = {});
std::string formatSignedBytes(reports::Bytes value, const NumberStyle& style = {});
std::string formatSignedPercent(double fraction, const NumberStyle& style = {});

// Makes bad UTF-8, control and bidi characters visible, so that a name cannot break a line or reverse text.
std::string printable(std::string_view name);
// The text with &, <, > and " as entities of HTML and XML.
std::string htmlText(std::string_view text);
// A field of RFC 4180. Text that a spreadsheet would run as a formula (=, +, -, @, tab or return first) gets an apostrophe.
std::string csvField(std::string text, bool isText);
// The middle cut out so that at most `width` characters remain.
std::string elideMiddle(std::string_view name, std::size_t width);
std::string elideEnd(std::string_view text, std::size_t width);

} // namespace analyser
