// The counting of cycles as part of a compilation: entries of a unit get the symbols of their counting twins.
#pragma once

#include "simcore/native/unit.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

// The entry of a vertex that is counted, and its twin. What the engine calls stands around them and is not counted.
std::string bodySymbol(std::size_t index);
std::string countedBodySymbol(std::size_t index);

// Whether code asks the machine for something (graph::MachineHooks).
bool asksMachine(std::string_view ir);

// IR of the twins of all entries, which get `counted` and `dependsOnData`; empty if it cannot be counted, and then `diagnostics` says why.
std::string countedTwin(std::string_view optimisedIr, int archVersion, std::vector<Unit::Entry>& entries,
                        std::string& diagnostics);

} // namespace simcore::native
