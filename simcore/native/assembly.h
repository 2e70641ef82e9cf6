// The machine's assembly in a codelet's source. The host does not have these instructions: an idiom with a known meaning is
// replaced by equivalent C++, anything else is an error that names its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

struct PlainSource {
  std::string text; // without the machine's assembly; the number of lines is unchanged
  bool isChanged = false;
  std::vector<std::string> startedByName; // classes that a supervisor starts on its six workers
};

PlainSource replaceAssembly(std::string_view source);

// Throws Error(Unsupported) with file and line for assembly in the text of unoptimised IR; only `nop` may remain.
void refuseAssembly(std::string_view ir);

} // namespace simcore::native
