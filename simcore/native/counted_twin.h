// What the counting of cycles adds to a module: its mutable globals become those of a tile, and each vertex gets a second function that
// counts.
#pragma once

#include "simcore/native/unit.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simcore::native {

struct SharedModule {
  std::string ir;
  std::vector<std::pair<std::string, int64_t>> globals; // address function and bytes
};
SharedModule shareModule(std::string_view ir);

const std::vector<std::string>& twinFlags(); // how the IR is optimised before it is counted
// IR of the twins; empty without any. `optimised` gives the module's IR after optimising.
std::string countedTwin(const std::function<std::string()>& optimised, std::vector<Unit::Entry>& entries);

} // namespace simcore::native
