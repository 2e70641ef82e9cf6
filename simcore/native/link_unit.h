// From the IR of codelets to a shared object, and from several units to one.
#pragma once

#include "simcore/native/compiler_run.h"

namespace simcore::native {

// Optimises `unit.ir`, adds the counting copies of its entries, and links both with the object file `runtime` (the builtins) to
// `unit.library`. If symbols are undefined, the unit has no library and lists them in `missing`. Throws Error.
void linkUnit(CompilerRun& run, const std::string& runtime, Unit& unit);

// Joins the IR of several units. A mutable global that one unit defines and others declare becomes one variable. Throws
// Error(InvalidInput) for a symbol that two units define, NotFound without lld.
std::string mergedIr(CompilerRun& run, const std::vector<Unit>& units);

} // namespace simcore::native
