// The importer of the kernel's trace as text: any bytes give a trace or an Error.
#include "reports/exchange/ftrace_text.h"
#include "tests/fuzz/import_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  fuzz::importBytes(bytes, size, reports::exchange::readFtraceText);
  return 0;
}
