// The cycle counting of a compilation: entries of a unit get the symbols of their counting twins.
#pragma once

#include "simcore/native/unit.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

// Symbols of a vertex's counted entry and of its twin. The engine calls a wrapper around them, which is not counted.
std::string bodySymbol(std::size_t index);
std::string countedBodySymbol(std::size_t index);

// Whether the code uses the machine's functions or values (graph::MachineHooks).
bool asksMachine(std::string_view ir);

// IR of the twins of all entries; sets their `counted` and `dependsOnData`. Empty if not countable; the reason is in `diagnostics`.
std::string countedTwin(std::string_view optimisedIr, int archVersion, std::vector<Unit::Entry>& entries,
                        std::string& diagnostics);

} // namespace simcore::native
