// How the counting copies of functions pass their counters to each other, and which promises about memory they cannot keep.
#pragma once

#include "simcore/native/count/ir.h"

#include <set>
#include <string>

namespace simcore::native {

// Functions that are only called directly, by functions of the module: their copies take the address of the caller's counter as
// one more argument, instead of looking for the thread's counters. `excluded` have another interface.
std::set<std::string> functionsThatTakeCounters(const IrModule& module, const std::set<std::string>& excluded);

// `text` of a definition or a call, with the counter's address as last argument. `isDefinition`: as parameter.
std::string withCounters(const std::string& text, const std::string& function, const std::string& pointerType,
                         const std::string& pointer, bool isDefinition);

// The position of the bracket that closes the one at `open`.
std::size_t closingBracket(std::string_view text, std::size_t open);

// The attribute groups of a module again under other numbers, without promises that code which counts breaks ("reads no memory").
std::string countingAttributes(const IrModule& module);
// `text` of a definition or a call with the numbers of those groups.
std::string withCountingAttributes(const std::string& text);

} // namespace simcore::native
