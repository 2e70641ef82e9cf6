// Whether the cycles of a vertex depend on its elements: traces loaded values to branches, addresses and lengths (decision 060).
#pragma once

#include "simcore/native/count/ir.h"

#include <map>
#include <set>
#include <string>

namespace simcore::native {

// For each entry `bool entry(void* vertex, unsigned worker)`: whether elements affect the control flow of the code that it
// reaches. Pointers, sizes and plain members of the vertex are not elements, unless the code stores elements in them.
std::map<std::string, bool> entriesThatDependOnData(const IrModule& module, const std::vector<std::string>& entries);

} // namespace simcore::native
