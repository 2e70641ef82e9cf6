// Numbers for people, in one place: three significant digits with a unit, grouped thousands, a chosen byte unit.
// Commas group thousands unless asked otherwise: text reports are read by tools too; the window asks for thin spaces.
#pragma once

#include "reports/core/units.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace analyser {

enum class ByteUnit { Binary, Decimal, Plain }; // KiB | kB | B

struct NumberStyle {
  ByteUnit bytes = ByteUnit::Binary;
  std::string_view group = ","; // between thousands
};

std::string formatCount(int64_t value, const NumberStyle& style = {});              // 1,234,567
std::string formatBytes(reports::Bytes value, const NumberStyle& style = {});       // 209 KiB
std::string formatCycles(reports::Cycles value, const NumberStyle& style = {});     // 1,234,567 cycles
std::string formatSeconds(double seconds);                                          // 12.3 µs
std::string formatNanoseconds(reports::Nanoseconds value);                          // 1.23 ms
std::string formatRate(double perSecond, std::string_view unit);                    // 12.3 TFLOP/s from 1.23e13, "FLOP/s"
std::string formatSi(double value, std::string_view unit);                          // 1.23 M<unit>
std::string formatPercent(double fraction);                                         // 33.4 %; "n/a" if not finite
std::string formatSignedCount(int64_t value, const NumberStyle& style = {});        // +1,234
std::string formatSignedBytes(reports::Bytes value, const NumberStyle& style = {}); // -12.0 KiB
std::string formatThreeDigits(double value);                                        // 0.0123, 12.3, 123, 1234

// Bad UTF-8, control and bidi characters made visible, so that a name cannot break a line or turn text round.
std::string printable(std::string_view name);
// A field of RFC 4180. Text that a spreadsheet would run as a formula (=, +, -, @, tab or return first) gets an apostrophe.
std::string csvField(std::string text, bool isText);
// The middle cut out so that at most `width` characters remain.
std::string elideMiddle(std::string_view name, std::size_t width);

} // namespace analyser
