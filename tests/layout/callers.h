// Functions that a header of the product declares and that nothing names again but their definition: they have no caller, not even a test.
// Names are compared as words, so one of two functions of a name may have no caller and is not found.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

std::vector<Violation> checkCallers(const std::vector<SourceFile>& files);

} // namespace layout
