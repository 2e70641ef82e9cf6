// Packed columns of a damaged report: any bytes give values or an Error(Damaged); packing the values again gives the same values.
// The first byte picks the encoding, the second the number of values that the row promises.
#include "reports/core/error.h"
#include "reports/core/packed.h"

#include <cstdlib>

namespace {
using reports::Blob;
using Values = std::vector<int64_t>;

template<class Unpack, class Pack> void roundTrip(std::span<const uint8_t> bytes, std::size_t count, Unpack unpack, Pack pack) {
  Values values;
  try {
    values = unpack(bytes, count, "column");
  } catch (const reports::Error& e) {
    if (e.code() != reports::ErrorCode::Damaged) std::abort();
    return;
  }
  if (values.size() != count) std::abort();
  const Blob packed = pack(values);
  if (unpack(packed, count, "column again") != values) std::abort();
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  if (size < 2) return 0;
  const std::span<const uint8_t> column(bytes + 2, size - 2);
  const std::size_t count = bytes[1];
  switch (bytes[0] % 3) {
  case 0: roundTrip(column, count, reports::unpackVarints, reports::packVarints); break;
  case 1: roundTrip(column, count, reports::unpackDeltas, reports::packDeltas); break;
  default: roundTrip(column, count, reports::unpackRuns, reports::packRuns); break;
  }
  return 0;
}
