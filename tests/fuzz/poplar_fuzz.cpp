// The importer of Poplar's JSON profiles: any bytes give a report's rows or an Error.
#include "reports/exchange/poplar_profile.h"
#include "tests/fuzz/import_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  fuzz::importBytes(bytes, size, [](reports::exchange::Window& window, reports::exchange::TraceAssembly& assembly) {
    reports::exchange::PoplarProfile profile;
    profile.add(window, "fuzz", assembly);
    profile.write(assembly);
  });
  return 0;
}
