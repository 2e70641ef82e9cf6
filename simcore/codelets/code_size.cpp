#include "simcore/codelets/code_size.h"

#include <algorithm>

namespace simcore::codelets {

Bytes codeBytes(CodeClass codeClass) {
  switch (codeClass) {
  case CodeClass::ConvSupervisor: return Bytes(1664);
  case CodeClass::ConvWorker: return Bytes(720);
  case CodeClass::AssemblyLoop: return Bytes(224);
  case CodeClass::LongFunction: return Bytes(560);
  case CodeClass::Broadcast: return Bytes(256);
  case CodeClass::Compiled: return Bytes(304);
  case CodeClass::ReduceFast: return Bytes(304);
  case CodeClass::ReduceGeneral: return Bytes(640);
  case CodeClass::CopyLoop: return Bytes(168);
  case CodeClass::Slice: return Bytes(320);
  case CodeClass::Random: return Bytes(208);
  case CodeClass::SparseSupervisor: return Bytes(1024);
  }
  return Bytes(304);
}

// A prologue that unpacks fields and splits the work, then per step the vector loop's body twice (vectors and remainder).
Bytes fusedCodeBytes(int64_t steps, int64_t longSteps) {
  steps = std::max<int64_t>(steps, 1);
  longSteps = std::clamp<int64_t>(longSteps, 0, steps);
  return Bytes(184 + 40 * (steps - longSteps) + 344 * longSteps);
}

Bytes workerStackBytes(VertexFamily family, VertexKind kind) {
  switch (family) {
  case VertexFamily::Convolution: return kind == VertexKind::Supervisor ? Bytes(40) : Bytes(32);
  case VertexFamily::Copy: return Bytes(16);
  case VertexFamily::Reduce: return Bytes(48);
  case VertexFamily::Elementwise:
  case VertexFamily::Nonlinearity: return kind == VertexKind::Worker ? Bytes(48) : Bytes(32);
  case VertexFamily::Pooling: return Bytes(40);
  case VertexFamily::Slice:
  case VertexFamily::Random: return Bytes(24);
  case VertexFamily::Sparse: return Bytes(40);
  case VertexFamily::Sort: return Bytes(48);
  case VertexFamily::User: return Bytes(64);
  }
  return Bytes(48);
}

Bytes tileStackBytes(Bytes largestWorkerStack, int workers) {
  return largestWorkerStack * std::max(workers, 1) + kSupervisorStack;
}

} // namespace simcore::codelets
