// The interface of counting copies: how they pass counts to each other, and which attributes about memory they must drop.
#pragma once

#include "simcore/native/count/ir.h"

#include <map>
#include <set>
#include <string>

namespace simcore::native {

// The functions that are only called directly by functions of the module, with their return types as text. The copy of such a
// function takes the caller's count as an additional argument and returns its own, instead of looking up the thread's counters.
// `excluded` functions keep their interface.
std::map<std::string, std::string> functionsThatTakeCounters(const IrModule& module, const std::set<std::string>& excluded);

// A definition or a call of `function` (in `text`) with `count` as last argument. The result has the type countedType(returns)
// and, in a call, no name.
std::string withCount(const std::string& text, const std::string& function, const std::string& returns, const std::string& count);
// The count alone for "void", else a pair of the value and the count.
std::string countedType(const std::string& returns);
// Instructions that return the count, together with the value that the instruction `text` returns.
std::string countedReturn(const std::string& text, const std::string& returns, const std::string& count, const std::string& id);
// The name before " = "; empty if there is none.
std::string resultOf(const std::string& text);

// The position of the bracket that closes the one at `open`.
std::size_t closingBracket(std::string_view text, std::size_t open);

// The attribute groups of a module under new numbers, without attributes that counting makes false ("reads no memory").
std::string countingAttributes(const IrModule& module);
// A definition or a call (in `text`) that uses these new groups.
std::string withCountingAttributes(const std::string& text);

} // namespace simcore::native
