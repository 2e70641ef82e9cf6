// Estimated bytes of code and stack of a codelet. Numbers per codelet are not public. The classes below are chosen so that the
// 20 to 30 codelets of a small conv training model take about 8.8 KiB on a tile and their stacks about 372 B
// (ipu-reference section 7, validation cases A41 and A42). Every size is a multiple of 8, one dual-issue bundle.
#pragma once

#include "simcore/codelets/vertex_cost.h"

#include <cstdint>

namespace simcore::codelets {

enum class CodeClass {
  ConvSupervisor, // AMP, SLIC and VMAC: supervisor loops, worker loops, zeroing
  ConvWorker,     // direct forms
  AssemblyLoop,   // hand-written vector loops: element-wise, cast, fill, scaled add
  LongFunction,   // loops that call a software function per element: sin, pow, atan2 …
  Broadcast,
  Compiled, // C++ vertices over rows
  ReduceFast,
  ReduceGeneral,
  CopyLoop,
  Slice,
  Random,
  SparseSupervisor,
};

Bytes codeBytes(CodeClass codeClass);
// Code of one generated codelet with `steps` operations.
Bytes fusedCodeBytes(int64_t steps, int64_t longSteps);
// Stack of one worker; hand-written loops spill almost nothing.
Bytes workerStackBytes(VertexFamily family, VertexKind kind);

// Fixed code of every tile: the copy routines and start-up code of the run time.
inline constexpr Bytes kRuntimeCode{832};
// The supervisor's own stack, in addition to the workers' stacks.
inline constexpr Bytes kSupervisorStack{84};
// Stack of a tile: six times the largest worker stack, plus the supervisor's.
Bytes tileStackBytes(Bytes largestWorkerStack, int workers);

} // namespace simcore::codelets
