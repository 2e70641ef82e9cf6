// Engine options as JSON, as in the environment variable POPLAR_ENGINE_OPTIONS. Any text gives options or an Error.
#include "reports/core/error.h"
#include "simcore/run/engine_options.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  try {
    simcore::run::EngineOptionSet options;
    options.readJson(std::string(reinterpret_cast<const char*>(bytes), size), "fuzz");
    for (const std::string& name : options.unknown())
      if (options.isSet(name) && name.size() > size) std::abort();
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::Internal) std::abort();
  }
  return 0;
}
