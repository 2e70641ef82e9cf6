// The tables of `validate-model --codelets`: measured cycles and samples' formulas, beside cycles counted from instructions.
#pragma once

#include "simcore/validation/sample_vertices.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace app::cli {

struct CodeletTables {
  std::vector<simcore::validation::CodeletResult> measured;
  std::vector<simcore::validation::SampleVertexResult> samples;
};
// Compiles the sources of the codelets. `only`: ids of measured codelets and names of samples; empty: all. Throws Error; NotFound
// without clang.
CodeletTables codeletTables(const std::vector<std::string>& only);
void printCodelets(std::ostream& out, const CodeletTables& tables, bool asJson);

} // namespace app::cli
