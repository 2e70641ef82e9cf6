// Slices of a damaged report: chunks and pyramid levels. Any bytes give slices that keep the promises of slice_decode.h, or an
// Error(Damaged). Input: a byte that picks chunk or level, then the row's fields as varints, each BLOB led by its size.
#include "reports/core/error.h"
#include "reports/core/packed.h"
#include "reports/rows/slice_decode.h"

#include <cstdlib>
#include <numeric>

namespace {

void require(bool good) {
  if (!good) std::abort();
}

class Fields {
public:
  explicit Fields(std::span<const uint8_t> bytes) : m_reader(bytes, "fuzz") {}
  int64_t number() { return m_reader.zigzag(); }
  reports::Blob blob() {
    reports::Blob blob;
    for (uint64_t n = m_reader.varint(); n > 0 && !m_reader.atEnd(); --n) blob.push_back(m_reader.byte());
    return blob;
  }

private:
  reports::PackedReader m_reader;
};

void chunk(Fields in) {
  reports::SliceChunkRow row;
  row.slices = in.number();
  row.firstTick = in.number();
  row.endTick = in.number();
  row.gaps = in.blob();
  row.durations = in.blob();
  row.names = in.blob();
  row.categories = in.blob();
  row.refs = in.blob();
  const reports::SliceColumns slices = reports::decodeChunk(row);
  require(int64_t(slices.size()) == row.slices);
  int64_t at = row.firstTick;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    require(slices.starts[i] >= at && slices.durations[i] >= 0 && slices.end(i) <= row.endTick);
    at = slices.end(i);
  }
  require(at == row.endTick);
}

int64_t busyOf(const reports::SliceLevel& level) {
  return std::accumulate(level.shares.begin(), level.shares.end(), int64_t(0),
                         [](int64_t sum, const reports::SliceShare& share) { return sum + share.busyTicks; });
}

void level(Fields in) {
  reports::SliceLevelRow row;
  row.bucketShift = in.number();
  row.buckets = in.number();
  row.data = in.blob();
  const reports::SliceLevel fine = reports::decodeLevel(row);
  require(int64_t(fine.buckets.size()) == row.buckets);
  for (std::size_t i = 1; i < fine.buckets.size(); ++i) require(fine.buckets[i - 1].index < fine.buckets[i].index);
  if (fine.shift == 62) return; // a coarser bucket has no width in 64 bits
  const reports::SliceLevel coarse = reports::coarser(fine);
  require(coarse.buckets.size() <= fine.buckets.size() && busyOf(coarse) == busyOf(fine));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const Fields fields(std::span(bytes + 1, size - 1));
  try {
    if (bytes[0] % 2)
      chunk(fields);
    else
      level(fields);
  } catch (const reports::Error& e) {
    require(e.code() == reports::ErrorCode::Damaged);
  }
  return 0;
}
