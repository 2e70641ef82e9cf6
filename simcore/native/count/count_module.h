// Cycles of codelets from their LLVM IR: a second copy of the code that counts while it runs (decision 060 has the rule). The
// text of clang 14 to 19 is read without LLVM's libraries; an unknown instruction is an error with its line, never a wrong cost.
#pragma once

#include "simcore/graph/codelet.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

// Flags of clang for the IR that countModule() reads: -O2, and flags that make its loops similar to those of the machine's
// compiler. The input may be C++ or unoptimised IR (-O2 -Xclang -disable-llvm-passes), after shareGlobals().
const std::vector<std::string>& machineFlags();

// To be changed when countModule() writes other code for the same input: cached codelets are then compiled again.
constexpr int kCountingVersion = 15;

struct CountOptions {
  struct Entry {
    std::string symbol; // `bool symbol(void* vertex, unsigned worker)`
    graph::Codelet::Kind kind = graph::Codelet::Kind::Worker;
  };
  std::vector<Entry> entries;                        // functions not reachable from these are left out
  std::string suffix = "_counted";                   // of the twins' symbols
  std::string countersSymbol = "tilescope_counters"; // `graph::Counters* tilescope_counters()`, of the thread; weak in the result
  int64_t repeatLimit = 65535;                       // iterations of a hardware loop: 4095 on Mk1
};

struct CountedFunction {
  std::string symbol, twin;         // symbols of the entry and of its counting copy, which also takes the counters' address
  bool dependsOnData = true;        // a branch, an address or a length depends on loaded elements, also in callees
  bool callsUnknown = false;        // calls through a pointer, or of functions in `unknown`
  std::vector<std::string> unknown; // names of functions and types without a known cost, also "inline assembly"
};

struct CountedModule {
  // Only the twins: mutable globals are declared here and defined by the plain module. Both are linked into one library.
  std::string ir;
  std::vector<CountedFunction> entries; // as in the options
};

// Throws Error(InvalidInput) with the line of IR that cannot be read.
CountedModule countModule(std::string_view ir, const CountOptions& options);

struct SharedGlobals {
  struct Global {
    std::string name, addressFunction; // `void* addressFunction()`
    int64_t bytes = 0;
  };
  std::string ir; // mutable globals are thread_local and visible to a second module; their address functions are at the end
  std::vector<Global> globals;
};

// Makes the mutable globals of a module thread-local, so that every tile can have its own. Call before optimising; `prefix` makes
// their names unique. Throws Error(InvalidInput).
SharedGlobals shareGlobals(std::string_view ir, std::string_view prefix);

} // namespace simcore::native
