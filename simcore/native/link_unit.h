// From the IR of codelets to a shared object, and from several units to one.
#pragma once

#include "simcore/native/compiler_run.h"

namespace simcore::native {

// Optimises `unit.ir`, adds the counting copy of its entries and links both with the object file `runtime` (the builtins) into
// `unit.library`. If a symbol is in none of them, the unit stays without a library and names it in `missing`. Throws Error.
void linkUnit(CompilerRun& run, const std::string& runtime, Unit& unit);

// The IR of several units as one text. A mutable global that one defines and others declare is one variable. Throws Error(InvalidInput)
// for a symbol that two of them define, NotFound without lld.
std::string mergedIr(CompilerRun& run, const std::vector<Unit>& units);

} // namespace simcore::native
