// Which module may include which, and which modules may see which library. The table in dependencies.cpp is the one place where a
// dependency is added; adding one is a decision, so it goes with a line in the module's CMakeLists.txt and a reason in the commit.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

std::vector<Violation> checkDependencies(const std::vector<SourceFile>& files);

// Modules of the table that have no file.
std::vector<Violation> checkModules(const std::vector<SourceFile>& files);

// `listing` is what ldd prints for a program. Throws std::runtime_error if it lists no library at all.
std::vector<Violation> checkNoQt(const std::string& program, const std::string& listing);

} // namespace layout
