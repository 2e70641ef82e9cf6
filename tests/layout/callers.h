// Functions that a header of the product declares and that no code of the product calls: none at all, or only tests (a short list
// may be so). Names are compared as words, so an unused function is not found if another one has the same name.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

std::vector<Violation> checkCallers(const std::vector<SourceFile>& files);

} // namespace layout
