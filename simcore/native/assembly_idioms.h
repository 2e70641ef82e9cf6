// The table of assembly with a known meaning, and the C++ that replaces it. tilescope_runtime.inc defines the functions.
#pragma once

#include "simcore/native/asm_statement.h"

namespace simcore::native {

// A class that a supervisor starts on its six workers, waiting for them.
std::optional<std::string> startedClass(const AsmStatement& statement);
// The vertex class of a statement that only loads the address of the class's code.
std::optional<std::string> loadedClass(const AsmStatement& statement);
// The expression of the object, if a statement starts one worker on it and waits.
std::optional<std::string> startedObject(const AsmStatement& statement);
// C++ for any other known idiom, without a semicolon. `source`: the whole text that contains the statement.
std::optional<std::string> meaningOf(const AsmStatement& statement, std::string_view source);

} // namespace simcore::native
