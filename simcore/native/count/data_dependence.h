// Whether the time of a vertex depends on its elements: from loaded values to branches, addresses and lengths (decision 060).
#pragma once

#include "simcore/native/count/ir.h"

#include <map>
#include <set>
#include <string>

namespace simcore::native {

// What is reachable from each entry, `bool entry(void* vertex, unsigned worker)`: true if elements decide how it runs. Pointers
// and sizes of fields and plain members of the vertex are no elements, unless the code stores loaded elements in them.
std::map<std::string, bool> entriesThatDependOnData(const IrModule& module, const std::vector<std::string>& entries);

} // namespace simcore::native
