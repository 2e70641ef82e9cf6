// An asm statement in the text of a codelet's source.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

struct AsmStatement {
  std::size_t begin = 0, end = 0;              // position in the source, including the semicolon
  std::vector<std::string> mnemonics;          // in order, without braces, labels, directives and comments
  std::vector<std::string> lines;              // of assembly, one per mnemonic
  std::map<std::string, std::string> operands; // [name] "constraint"(expression)
  std::vector<std::string> places;             // expressions of all operands, named or not: %0, %1 …
  // Bundles in braces take one issue slot. `inLoop` of the slots are inside the statement's loop, the others around it.
  int issueSlots = 0, inLoop = 0;
};

// The first statement at or after `from`.
std::optional<AsmStatement> nextAsmStatement(std::string_view source, std::size_t from);
// Reads the instructions of `assembly` into the statement.
void readInstructions(AsmStatement& statement, const std::string& assembly);

} // namespace simcore::native
