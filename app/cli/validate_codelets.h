// The table of `validate-model --codelets`: measured cycles beside the cycles of the codelets' instructions.
#pragma once

#include "simcore/validation/codelet_cases.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace app::cli {

// Compiles their sources. Throws Error, NotFound without clang.
std::vector<simcore::validation::CodeletResult> measuredCodelets(const std::vector<std::string>& only);
void printCodelets(std::ostream& out, const std::vector<simcore::validation::CodeletResult>& results, bool asJson);

} // namespace app::cli
