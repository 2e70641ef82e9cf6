// Adds cycle counting to a compilation: the entries of a unit get the symbols of their counting twins.
#pragma once

#include "simcore/native/unit.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

// Symbols of a vertex. The engine calls a wrapper, which is not counted, around the body and its twin.
std::string vertexSymbol(const std::string& unit, std::size_t index); // `unit`: unique among units that may be linked
std::string bodySymbol(const std::string& vertexSymbol);
std::string countedBodySymbol(const std::string& vertexSymbol);

// Whether the code uses the machine's functions or values (graph::MachineHooks).
bool asksMachine(std::string_view ir);

// The IR of all entries' twins; sets `counted` and `dependsOnData` of the entries. Empty if they cannot be counted; `diagnostics`
// says why.
std::string countedTwin(std::string_view optimisedIr, int archVersion, std::vector<Unit::Entry>& entries,
                        std::string& diagnostics);

} // namespace simcore::native
