// Functions that a header of the product declares and that are named only in their definition: no code calls them, not even a test.
// Names are compared as words, so an unused function is not found if another one has the same name.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

std::vector<Violation> checkCallers(const std::vector<SourceFile>& files);

} // namespace layout
