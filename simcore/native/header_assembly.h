// Replaces assembly idioms (assembly.h) in the user's headers: the compiler sees a copy under the header's own name.
#pragma once

#include "simcore/native/compiler_run.h"

namespace simcore::native {

struct PlainHeaders {
  Words flags; // for the compiler; empty if no header has such assembly
  std::vector<std::string> startedByName;
};

// Replaces the assembly in the headers of a source with `text` at `source`, compiled with the user's `flags`. Copies are written
// to `scratch`.
PlainHeaders replaceHeaderAssembly(const std::string& text, const std::string& source, const Words& flags,
                                   const std::string& scratch);

} // namespace simcore::native
