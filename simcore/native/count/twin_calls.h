// How the counting copies of functions pass their counters to each other, and which promises about memory they cannot keep.
#pragma once

#include "simcore/native/count/ir.h"

#include <map>
#include <set>
#include <string>

namespace simcore::native {

// Functions that are only called directly, by functions of the module: their copies take the caller's count as one more
// argument and return theirs, instead of looking for the thread's counters. `excluded` have another interface.
// By name: the type that the function returns, as text.
std::map<std::string, std::string> functionsThatTakeCounters(const IrModule& module, const std::set<std::string>& excluded);

// `text` of a definition or a call of `function`, with `count` as last argument. It returns a value of type countedType(returns), and a call
// has no name for it.
std::string withCount(const std::string& text, const std::string& function, const std::string& returns, const std::string& count);
// The count alone for "void", else the value and the count.
std::string countedType(const std::string& returns);
// Instructions that return the count, and the value that the instruction `text` returns.
std::string countedReturn(const std::string& text, const std::string& returns, const std::string& count, const std::string& id);
// The name before " = ", or nothing.
std::string resultOf(const std::string& text);

// The position of the bracket that closes the one at `open`.
std::size_t closingBracket(std::string_view text, std::size_t open);

// The attribute groups of a module again under other numbers, without promises that code which counts breaks ("reads no memory").
std::string countingAttributes(const IrModule& module);
// `text` of a definition or a call with the numbers of those groups.
std::string withCountingAttributes(const std::string& text);

} // namespace simcore::native
