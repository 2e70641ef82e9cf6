// A damaged or hostile report file: it opens or gives an Error, every table reads or gives an Error, chunks of slices too.
// The input is a list of damages to a tiny good report, so that it outlives changes of the schema: varint pairs (place, value);
// a value up to 255 replaces the byte at `place` (modulo the size), 256 cuts the file there, more repeats the byte before it
// value - 256 times. No pair at all is the good report, which must read.
#include "reports/core/error.h"
#include "reports/core/packed.h"
#include "reports/rows/slice_decode.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace {

using Bytes = std::vector<char>;

class Damage {
public:
  Damage() : m_file(m_folder / "damaged.tsr") {
    const tests::TinyReport good;
    std::ifstream in(good.path(), std::ios::binary);
    m_good.assign(std::istreambuf_iterator<char>(in), {});
    if (m_good.size() < 4096) std::abort();
  }
  // Writes the damaged report and returns its path.
  const std::filesystem::path& apply(std::span<const uint8_t> list) {
    Bytes bytes = m_good;
    reports::PackedReader pairs(list, "fuzz");
    try {
      for (int left = 64; left > 0 && !pairs.atEnd() && !bytes.empty(); --left) {
        const std::size_t place = pairs.varint() % bytes.size();
        one(bytes, place, pairs.varint());
      }
    } catch (const reports::Error&) { // half a pair at the end of the list
    }
    std::ofstream(m_file, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ptrdiff_t(bytes.size()));
    return m_file;
  }

private:
  static void one(Bytes& bytes, std::size_t place, uint64_t value) {
    if (value < 256)
      bytes[place] = char(value);
    else if (value == 256)
      bytes.resize(place);
    else
      bytes.insert(bytes.begin() + std::ptrdiff_t(place), std::min<uint64_t>(value - 256, 8192), bytes[place ? place - 1 : 0]);
  }
  tests::TemporaryFolder m_folder;
  std::filesystem::path m_file;
  Bytes m_good;
};

template<class Read> bool reads(Read&& read) {
  try {
    read();
    return true;
  } catch (const reports::Error&) {
    return false;
  }
}

// True if everything in the report could be read.
bool readAll(reports::Reader& report) {
  bool all = reads([&] { report.strings(); });
  reports::forEachTable([&]<class Row>() { all = reads([&] { report.forEach<Row>("", {}, [](Row&) {}); }) && all; });
  all = reads([&] { report.forEach<reports::SliceChunkRow>("", {}, [](auto& row) { reports::decodeChunk(row); }); }) && all;
  return reads([&] { report.forEach<reports::SliceLevelRow>("", {}, [](auto& row) { reports::decodeLevel(row); }); }) && all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static Damage damage;
  const auto& path = damage.apply({bytes, size});
  bool whole = false;
  reads([&] {
    reports::Reader report(path);
    whole = readAll(report);
  });
  if (size == 0 && !whole) std::abort();
  return 0;
}
