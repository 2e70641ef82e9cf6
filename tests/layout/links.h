// The rule for the CMake lists of a module: PUBLIC are the modules that its headers include, PRIVATE those that only its sources
// include. A wrong list builds here, because all modules are linked together, but fails for a program that links only one module.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

// Reads the calls of tilescope_room(). A module whose name has a variable (the views) may list more than it includes.
std::vector<Violation> checkLinks(const std::vector<SourceFile>& files);

} // namespace layout
