#include "reports/core/packed.h"

#include "reports/core/error.h"

#include <bit>
#include <string>

namespace reports {

void PackedReader::fail() const {
  throw Error(ErrorCode::Damaged, "packed column is cut short or malformed", std::string(m_what));
}

namespace {
[[noreturn]] void wrongCount(std::string_view what, std::size_t expected) {
  throw Error(ErrorCode::Damaged, "packed column does not hold " + std::to_string(expected) + " values", std::string(what));
}
// Wraps instead of overflowing: damaged input may hold any difference.
int64_t wrappingAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
int64_t wrappingSub(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
// A column of n values needs at least n bytes unless it is run-length coded.
void requireBytes(std::span<const uint8_t> bytes, std::size_t count, std::string_view what) {
  if (count > bytes.size()) wrongCount(what, count);
}
} // namespace

Blob packVarints(std::span<const int64_t> values) {
  PackedWriter w;
  for (int64_t v : values) w.varint(uint64_t(v));
  return w.take();
}

Blob packDeltas(std::span<const int64_t> values) {
  PackedWriter w;
  int64_t previous = 0;
  for (int64_t v : values) {
    w.zigzag(wrappingSub(v, previous));
    previous = v;
  }
  return w.take();
}

Blob packRuns(std::span<const int64_t> values) {
  PackedWriter w;
  int64_t previous = 0;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t j = i + 1;
    while (j < values.size() && values[j] == values[i]) ++j;
    w.varint(j - i);
    w.zigzag(wrappingSub(values[i], previous));
    previous = values[i];
    i = j;
  }
  return w.take();
}

std::vector<int64_t> unpackVarints(std::span<const uint8_t> bytes, std::size_t count, std::string_view what) {
  requireBytes(bytes, count, what);
  PackedReader r(bytes, what);
  std::vector<int64_t> values(count);
  for (auto& v : values) v = int64_t(r.varint());
  if (!r.atEnd()) wrongCount(what, count);
  return values;
}

std::vector<int64_t> unpackDeltas(std::span<const uint8_t> bytes, std::size_t count, std::string_view what) {
  requireBytes(bytes, count, what);
  PackedReader r(bytes, what);
  std::vector<int64_t> values(count);
  int64_t previous = 0;
  for (auto& v : values) v = previous = wrappingAdd(previous, r.zigzag());
  if (!r.atEnd()) wrongCount(what, count);
  return values;
}

std::vector<int64_t> unpackRuns(std::span<const uint8_t> bytes, std::size_t count, std::string_view what) {
  PackedReader r(bytes, what);
  std::vector<int64_t> values;
  int64_t value = 0;
  while (!r.atEnd()) {
    const uint64_t length = r.varint();
    value = wrappingAdd(value, r.zigzag());
    if (length == 0 || length > count - values.size()) wrongCount(what, count);
    values.insert(values.end(), length, value);
  }
  if (values.size() != count) wrongCount(what, count);
  return values;
}

void packReal(PackedWriter& writer, double value, uint64_t& previous) {
  const auto bits = std::bit_cast<uint64_t>(value);
  writer.varint(__builtin_bswap64(bits ^ previous));
  previous = bits;
}

Blob packReals(std::span<const double> values) {
  PackedWriter w;
  uint64_t previous = 0;
  for (const double v : values) packReal(w, v, previous);
  return w.take();
}

std::vector<double> unpackReals(std::span<const uint8_t> bytes, std::size_t count, std::string_view what) {
  requireBytes(bytes, count, what);
  PackedReader r(bytes, what);
  std::vector<double> values(count);
  uint64_t bits = 0;
  for (auto& v : values) {
    bits ^= __builtin_bswap64(r.varint());
    v = std::bit_cast<double>(bits);
  }
  if (!r.atEnd()) wrongCount(what, count);
  return values;
}

} // namespace reports
