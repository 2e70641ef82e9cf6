// What the CMake lists of a module must say: PUBLIC is what its headers include, PRIVATE what only its sources include. A wrong
// list builds here, because every module is linked in the end, but not for whoever links a single one.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

// Reads the calls of tilescope_room(). A module whose name has a variable (the views) may list more than it includes.
std::vector<Violation> checkLinks(const std::vector<SourceFile>& files);

} // namespace layout
