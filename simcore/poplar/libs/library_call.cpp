#include "simcore/poplar/libs/library_call.h"

#include "poplin/codelets.hpp"
#include "popnn/codelets.hpp"
#include "popops/codelets.hpp"
#include "poprand/codelets.hpp"
#include "popsparse/codelets.hpp"

#include <algorithm>

namespace simcore::poplar {

void rethrowFromLibrary() {
  try {
    throw;
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::OutOfMemory) rethrowAsPoplar();
    throw ::poputil::poplibs_error(error.what());
  }
}

void ignoreOptions(const char* call, const ::poplar::OptionFlags& options, std::initializer_list<const char*> read) {
  for (const auto& [name, value] : options)
    if (std::none_of(read.begin(), read.end(), [&](const char* known) { return name == known; }))
      warnOnce(std::string(call) + ": the option \"" + name + "\" changes nothing here");
}

} // namespace simcore::poplar

namespace poputil {

poplibs_error::poplibs_error(const std::string& message) : std::runtime_error(message), type("poplibs_error") {}
poplibs_error::poplibs_error(const char* message) : std::runtime_error(message), type("poplibs_error") {}
poplibs_error::~poplibs_error() = default;

} // namespace poputil

namespace popops {
void addCodelets(poplar::Graph&) {}
} // namespace popops
namespace poplin {
void addCodelets(poplar::Graph&) {}
} // namespace poplin
namespace popnn {
void addCodelets(poplar::Graph&) {}
} // namespace popnn
namespace poprand {
void addCodelets(poplar::Graph&) {}
} // namespace poprand
namespace popsparse {
void addCodelets(poplar::Graph&) {}
} // namespace popsparse
