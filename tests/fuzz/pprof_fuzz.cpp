// The importer of pprof profiles: any bytes give a trace or an Error.
#include "reports/exchange/pprof.h"
#include "tests/fuzz/import_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  fuzz::importBytes(bytes, size, reports::exchange::readPprof);
  return 0;
}
