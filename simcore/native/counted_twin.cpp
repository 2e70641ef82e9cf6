#include "simcore/native/counted_twin.h"

namespace simcore::native {

SharedModule shareModule(std::string_view ir) { return {std::string(ir), {}}; }

const std::vector<std::string>& twinFlags() {
  static const std::vector<std::string> flags{"-O2", "-fno-slp-vectorize", "-fno-unroll-loops"};
  return flags;
}

std::string countedTwin(const std::function<std::string()>& /*optimised*/, std::vector<Unit::Entry>& /*entries*/) { return {}; }

} // namespace simcore::native
