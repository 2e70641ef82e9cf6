// Columns packed into BLOBs. Four encodings serve every packed column of a report; SCHEMA.md names the one each uses:
//   varint   unsigned LEB128, 7 bits a byte, low bits first
//   delta    zigzag varint of the difference to the previous value (the first to 0)
//   runs     pairs (varint length >= 1, zigzag varint of the value's difference to the previous run's value)
//   reals    IEEE doubles: varint of the bits XOR the previous value's bits (the first with 0), bytes in reverse order, so that
//            equal values take one byte and small whole numbers two or three
// Readers bound-check everything: a damaged BLOB throws Error(Damaged), it never reads outside or allocates beyond `count`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace reports {

using Blob = std::vector<uint8_t>;

// Appends values to a Blob.
class PackedWriter {
public:
  void varint(uint64_t v) {
    while (v >= 0x80) {
      m_blob.push_back(uint8_t(v) | 0x80);
      v >>= 7;
    }
    m_blob.push_back(uint8_t(v));
  }
  void zigzag(int64_t v) { varint((uint64_t(v) << 1) ^ uint64_t(v >> 63)); }
  void byte(uint8_t v) { m_blob.push_back(v); }
  std::size_t size() const { return m_blob.size(); }
  const Blob& blob() const { return m_blob; }
  Blob take() { return std::move(m_blob); }

private:
  Blob m_blob;
};

// Reads values from bytes; `what` names the column in errors. Throws Error(Damaged) past the end.
class PackedReader {
public:
  PackedReader(std::span<const uint8_t> bytes, std::string_view what)
      : m_at(bytes.data()), m_end(m_at + bytes.size()), m_what(what) {}
  uint64_t varint() {
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (m_at == m_end) fail();
      const uint8_t b = *m_at++;
      v |= uint64_t(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    fail();
  }
  int64_t zigzag() {
    const uint64_t v = varint();
    return int64_t(v >> 1) ^ -int64_t(v & 1);
  }
  uint8_t byte() {
    if (m_at == m_end) fail();
    return *m_at++;
  }
  bool atEnd() const { return m_at == m_end; }

private:
  [[noreturn]] void fail() const;
  const uint8_t* m_at;
  const uint8_t* m_end;
  std::string_view m_what;
};

Blob packVarints(std::span<const int64_t> values); // values >= 0
Blob packDeltas(std::span<const int64_t> values);
Blob packRuns(std::span<const int64_t> values);
Blob packReals(std::span<const double> values);

// `count` is the number of values in the row; a different number in the BLOB is damage.
std::vector<int64_t> unpackVarints(std::span<const uint8_t> bytes, std::size_t count, std::string_view what);
std::vector<int64_t> unpackDeltas(std::span<const uint8_t> bytes, std::size_t count, std::string_view what);
std::vector<int64_t> unpackRuns(std::span<const uint8_t> bytes, std::size_t count, std::string_view what);
std::vector<double> unpackReals(std::span<const uint8_t> bytes, std::size_t count, std::string_view what);

// A run of the encoding `runs`: values [begin, end) of a column are all `value`.
struct ValueRun {
  std::size_t begin = 0, end = 0;
  int64_t value = 0;
};
// A column of `runs` in its stored form. Runs are adjacent, and the last one ends at `count`. 94,208 tiles rarely have over a
// hundred runs.
std::vector<ValueRun> unpackAsRuns(std::span<const uint8_t> bytes, std::size_t count, std::string_view what);

// Packs one value in the encoding `reals`, for writers that pack value by value: `previous` starts as 0.
void packReal(PackedWriter& writer, double value, uint64_t& previous);

} // namespace reports
