// The lint rules of CONTRIBUTING.md that a program can check: sizes, names, opening comments, nothing tied to one machine.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

std::vector<Violation> checkLintRules(const std::vector<SourceFile>& files);

} // namespace layout
