// tests/FAULTS.md names the tests of every fault; each test must exist, otherwise the table promises a missing check.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

std::vector<Violation> checkFaultTable(const std::vector<SourceFile>& files);

} // namespace layout
