// The importer of the text of perf script: any bytes give a trace or an Error.
#include "reports/exchange/perf_script.h"
#include "tests/fuzz/import_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  fuzz::importBytes(bytes, size, reports::exchange::readPerfScript);
  return 0;
}
