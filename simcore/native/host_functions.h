// Finds functions of the host that a codelet must not use: a tile has no files, threads, clock or heap, so the machine's compiler
// would not link them. Without this check they would run on the host unnoticed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

// Throws Error(InvalidInput) with name and location of the first function or variable of the host that is used by code reached
// from `roots`. `ir` is optimised and has the source's line numbers.
void refuseHostFunctions(std::string_view ir, const std::vector<std::string>& roots);

// "name, used at file:line" for a missing symbol as a linker spells it; only the name if the location is unknown.
std::string withPlaceOfCall(std::string_view ir, const std::vector<std::string>& roots, const std::string& name);

} // namespace simcore::native
