// Any file as a trace, as the command imports it: the format is recognised, packed files are unpacked, recordings too.
#include "reports/exchange/import.h"
#include "tests/fuzz/import_target.h"
#include "tests/fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static const fuzz::ScratchFolder folder;
  reports::exchange::ImportRequest request;
  request.files = {folder.write("trace", {bytes, size})};
  tests::RowCollector rows;
  reports::NoProgress progress;
  try {
    reports::exchange::importTraces(request, rows, progress, {});
  } catch (const reports::Error& error) {
    fuzz::requireGood(error.code() != reports::ErrorCode::Internal);
    return 0;
  }
  for (const auto& chunk : rows.rows<reports::SliceChunkRow>()) reports::decodeChunk(chunk);
  for (const auto& chunk : rows.rows<reports::CounterChunkRow>()) reports::decodeCounter(chunk);
  return 0;
}
