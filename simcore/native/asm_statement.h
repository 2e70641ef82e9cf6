// An asm statement in the text of a codelet's source.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

struct AsmStatement {
  std::size_t begin = 0, end = 0;              // in the source, with the semicolon
  std::vector<std::string> mnemonics;          // in order, without braces, labels, directives and comments
  std::vector<std::string> lines;              // of assembly, as many
  std::map<std::string, std::string> operands; // [name] "constraint"(expression)
  std::vector<std::string> places;             // expressions of all operands, named or not: %0, %1 …
  // A bundle in braces takes one issue slot. Of a loop, `inLoop` slots are inside; the others are around it.
  int issueSlots = 0, inLoop = 0;
};

// The next one at or after `from`.
std::optional<AsmStatement> nextAsmStatement(std::string_view source, std::size_t from);
// Reads the instructions of `assembly` into the statement.
void readInstructions(AsmStatement& statement, const std::string& assembly);

} // namespace simcore::native
