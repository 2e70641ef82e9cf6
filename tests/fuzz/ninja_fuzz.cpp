// The importer of logs of ninja: any bytes give a trace or an Error.
#include "reports/exchange/ninja_log.h"
#include "tests/fuzz/import_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  fuzz::importBytes(bytes, size, reports::exchange::readNinjaLog);
  return 0;
}
