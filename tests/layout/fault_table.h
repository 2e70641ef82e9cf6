// tests/FAULTS.md names the tests of every fault: each must exist, or the table promises what nobody looks at.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

std::vector<Violation> checkFaultTable(const std::vector<SourceFile>& files);

} // namespace layout
