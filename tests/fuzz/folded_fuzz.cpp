// The importer of folded stacks: any bytes give a trace or an Error.
#include "reports/exchange/folded_stacks.h"
#include "tests/fuzz/import_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  fuzz::importBytes(bytes, size, reports::exchange::readFoldedStacks);
  return 0;
}
