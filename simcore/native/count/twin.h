// The counting copy of a function (decision 060, Counting).
#pragma once

#include "simcore/native/count/loops.h"
#include "simcore/native/count/prices.h"

#include <set>
#include <string>

namespace simcore::native {

struct TwinNames {
  const std::map<std::string, std::string>* functions = nullptr; // functions of the module: name -> name of the copy
  std::string counters;                                          // symbol of the counters' functions
  bool opaquePointers = false;
  std::string entry; // symbol of the function that runs the copy with the counters it is given, or empty
  const std::set<std::string>* clockReaders = nullptr;        // functions that read the cycle counter, or call one that does
  const std::map<std::string, std::string>* takers = nullptr; // functions whose copies take the caller's count (twin_calls.h)
};

std::string twinOf(const IrFunction& function, const Loops& loops, const FunctionPrices& prices, const TwinNames& names);

// IR of the thread's counters and of functions that the copies call: to read the budget, to flush counts, and to stop when the
// budget is spent.
std::string countersCode(const std::string& symbol, bool opaquePointers);

// `text` with the names after @ replaced.
std::string withNames(const std::string& text, const std::map<std::string, std::string>& names);

} // namespace simcore::native
