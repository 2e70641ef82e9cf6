// The table of assembly whose meaning is known: what C++ takes its place. Names of functions are those of tilescope_runtime.inc.
#pragma once

#include "simcore/native/asm_statement.h"

namespace simcore::native {

// A class that a supervisor starts on its six workers, waiting for them.
std::optional<std::string> startedClass(const AsmStatement& statement);
// C++ for any other known idiom, without a semicolon. `source`: the whole text, in which the statement is.
std::optional<std::string> meaningOf(const AsmStatement& statement, std::string_view source);

} // namespace simcore::native
