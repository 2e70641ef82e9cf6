#include "reports/core/packed.h"

#include "reports/core/error.h"
#include "reports/core/expand_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

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
// One varint per value, written to a buffer with space for the longest form of each, so that no byte needs a reallocation.
template<class Bits> Blob packEach(std::span<const int64_t> values, Bits bitsOf) {
  constexpr std::size_t kLongest = 10, kAtOnce = 256;
  std::array<uint8_t, kAtOnce * kLongest> buffer;
  Blob blob;
  blob.reserve(values.size());
  while (!values.empty()) {
    const auto some = values.first(std::min(values.size(), kAtOnce));
    uint8_t* at = buffer.data();
    for (const int64_t value : some) {
      uint64_t bits = bitsOf(value);
      for (; bits >= 0x80; bits >>= 7) *at++ = uint8_t(bits) | 0x80;
      *at++ = uint8_t(bits);
    }
    blob.insert(blob.end(), buffer.data(), at);
    values = values.subspan(some.size());
  }
  return blob;
}
} // namespace

Blob packVarints(std::span<const int64_t> values) {
  return packEach(values, [](int64_t v) { return uint64_t(v); });
}

Blob packDeltas(std::span<const int64_t> values) {
  return packEach(values, [previous = int64_t(0)](int64_t v) mutable {
    const int64_t difference = wrappingSub(v, std::exchange(previous, v));
    return (uint64_t(difference) << 1) ^ uint64_t(difference >> 63);
  });
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
  return expandRuns(unpackAsRuns(bytes, count, what));
}

std::vector<ValueRun> unpackAsRuns(std::span<const uint8_t> bytes, std::size_t count, std::string_view what) {
  PackedReader r(bytes, what);
  std::vector<ValueRun> runs;
  std::size_t at = 0;
  int64_t value = 0;
  while (!r.atEnd()) {
    const uint64_t length = r.varint();
    value = wrappingAdd(value, r.zigzag());
    if (length == 0 || length > count - at) wrongCount(what, count);
    runs.push_back({at, at + std::size_t(length), value});
    at += std::size_t(length);
  }
  if (at != count) wrongCount(what, count);
  return runs;
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
