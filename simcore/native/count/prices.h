// Costs of the blocks of a function on the machine (decision 060).
#pragma once

#include "simcore/native/count/loops.h"

#include <set>
#include <string>

namespace simcore::native {

struct PriceOptions {
  bool isSupervisor = false;
  bool isVertex = false; // the function that the machine starts, which has no stack frame
  int64_t repeatLimit = 65535;
  const std::set<std::string>* defined = nullptr; // functions of the module
};

struct FunctionPrices {
  std::vector<int64_t> blocks;    // slots of a worker, or tile cycles of the supervisor
  std::vector<int64_t> entries;   // by loop, paid whenever the loop is entered
  std::map<int, int64_t> lengths; // copies of unknown length, by instruction: cost per 8 bytes
  std::set<std::string> unknown;  // instructions and functions without a known cost
};

FunctionPrices priceFunction(const IrFunction& function, const Loops& loops, const PriceOptions& options);

} // namespace simcore::native
