// A damaged or hostile report file: it opens or gives an Error, every table reads or gives an Error, and so do packed columns.
// The input is a list of damages (damaged_report.h). None at all is the good report, which must read.
#include "reports/rows/host_decode.h"
#include "reports/rows/slice_decode.h"
#include "reports/sqlite/reader.h"
#include "tests/fuzz/damaged_report.h"

namespace {

using tests::reads;

// True if everything in the report could be read.
bool readAll(reports::Reader& report) {
  bool all = reads([&] { report.strings(); });
  reports::forEachTable([&]<class Row>() { all = reads([&] { report.forEach<Row>("", {}, [](Row&) {}); }) && all; });
  const auto decodes = [&]<class Row>(void (*decode)(const Row&)) {
    all = reads([&] { report.forEach<Row>("", {}, [&](Row& row) { decode(row); }); }) && all;
  };
  decodes(+[](const reports::SliceChunkRow& row) { reports::decodeChunk(row); });
  decodes(+[](const reports::SliceLevelRow& row) { reports::decodeLevel(row); });
  decodes(+[](const reports::InstantChunkRow& row) { reports::decodeInstants(row); });
  decodes(+[](const reports::CounterChunkRow& row) { reports::decodeCounter(row); });
  decodes(+[](const reports::CounterLevelRow& row) { reports::decodeLevel(row); });
  decodes(+[](const reports::HeatmapRow& row) { reports::heatmapEdges(row); });
  decodes(+[](const reports::HeatmapChunkRow& row) { reports::decodeHeatmap(row, 3); });
  decodes(+[](const reports::FlowChunkRow& row) { reports::decodeFlows(row); });
  decodes(+[](const reports::DetailsChunkRow& row) { reports::decodeDetails(row); });
  return all;
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
