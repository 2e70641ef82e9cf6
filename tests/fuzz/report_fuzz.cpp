// A damaged or hostile report file: it opens or gives an Error, every table reads or gives an Error, chunks of slices too. The input is
// a list of damages (damaged_report.h). None at all is the good report, which must read.
#include "reports/rows/slice_decode.h"
#include "reports/sqlite/reader.h"
#include "tests/fuzz/damaged_report.h"

namespace {

using tests::reads;

// True if everything in the report could be read.
bool readAll(reports::Reader& report) {
  bool all = reads([&] { report.strings(); });
  reports::forEachTable([&]<class Row>() { all = reads([&] { report.forEach<Row>("", {}, [](Row&) {}); }) && all; });
  all = reads([&] { report.forEach<reports::SliceChunkRow>("", {}, [](auto& row) { reports::decodeChunk(row); }); }) && all;
  return reads([&] { report.forEach<reports::SliceLevelRow>("", {}, [](auto& row) { reports::decodeLevel(row); }); }) && all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static tests::DamagedReport damage;
  const auto& path = damage.apply({bytes, size});
  bool whole = false;
  reads([&] {
    reports::Reader report(path);
    whole = readAll(report);
  });
  if (size == 0 && !whole) std::abort();
  return 0;
}
