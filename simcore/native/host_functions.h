// Functions of the host that a codelet must not use: a tile has no files, threads, clock or heap, so the machine's compiler does not
// link them. Without this check they would run on the host, unseen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

// Throws Error(InvalidInput) with the name and the place of the first function or variable of the host that code reached from `roots`
// uses. `ir` is optimised, with the lines of the source.
void refuseHostFunctions(std::string_view ir, const std::vector<std::string>& roots);

// "name, used at file:line" for a symbol that is missing, as a linker spells it; the name alone if no place is known.
std::string withPlaceOfCall(std::string_view ir, const std::vector<std::string>& roots, const std::string& name);

} // namespace simcore::native
