// Assembly of the machine in a codelet's source. This machine has no such instructions: an idiom whose meaning is known is replaced by
// C++ of that meaning, anything else is an error that names its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

struct PlainSource {
  std::string text; // without assembly of the machine; as many lines as before
  bool isChanged = false;
  std::vector<std::string> startedByName; // classes that a supervisor starts on its six workers
};

PlainSource replaceAssembly(std::string_view source);

// Throws Error(Unsupported) with file and line for assembly in the text of IR that was not optimised; only `nop` may stay.
void refuseAssembly(std::string_view ir);

} // namespace simcore::native
