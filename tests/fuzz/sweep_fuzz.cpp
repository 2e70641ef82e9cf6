// Files of a sweep, which people write and copy between computers: the definition, the manifest, records of runs and answers of `run
// --json`. The first byte says which: D, M, R or A. Any bytes give a value or an Error; what was read and written is read as the same.
#include "analyser/sweep/sweep_table.h"
#include "reports/core/error.h"
#include "tests/fuzz/scratch_file.h"

#include <cstdlib>
#include <filesystem>

using namespace analyser::sweep;

namespace {

const std::string kKey(64, 'a');

void require(bool good) {
  if (!good) std::abort();
}

std::span<const uint8_t> bytesOf(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

void readAgain(const fuzz::ScratchFolder& folder, const Manifest& manifest) {
  if (manifest.configurations.size() > 200) return; // seldom, and slow
  const std::string text = manifestText(manifest);
  const Manifest again = readManifest(folder.write("manifest.jsonl", bytesOf(text)));
  require(manifestText(again) == text && again.configurations.size() == manifest.configurations.size());
  const SweepTable table = readSweep(folder.path());
  require(table.points.size() == manifest.configurations.size() && table.missing == int64_t(table.points.size()));
  require(!sweepCsv(table).empty());
}

void readAgain(const fuzz::ScratchFolder& folder, const std::optional<Record>& record) {
  if (!record) return;
  require(record->key == kKey);
  const std::string text = recordText(*record);
  const auto again = readRecord(folder.write("again.json", bytesOf(text)), kKey);
  require(again && recordText(*again) == text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static const fuzz::ScratchFolder folder;
  if (size == 0) return 0;
  const std::span rest(bytes + 1, size - 1);
  const std::string text(rest.begin(), rest.end());
  try {
    if (bytes[0] == 'D') readAgain(folder, planSweep(text, "fuzz"));
    if (bytes[0] == 'M') readAgain(folder, readManifest(folder.write("manifest.jsonl", rest)));
    if (bytes[0] == 'R') readAgain(folder, readRecord(folder.write("record.json", rest), kKey));
    if (bytes[0] == 'A') readAgain(folder, recordOfAnswer(kKey, text));
  } catch (const reports::Error& error) {
    require(error.code() != reports::ErrorCode::Internal);
  }
  return 0;
}
