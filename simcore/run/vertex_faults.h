// Faults of user code end the body of a vertex, not the process: an access outside of memory, a division by zero, too deep a stack, a
// spent budget of instructions. Signals are caught while vertices run, and only those that a body raised itself; what an application
// does with all others stays as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace simcore::run {

struct VertexFault {
  enum class Kind { Access, Arithmetic, Instruction, Stack, Budget, Assertion };
  Kind kind = Kind::Access;
  const std::byte* address = nullptr; // of an access
  std::optional<bool> writes;         // of an access; empty if the processor does not tell
};

class VertexFaults {
public:
  VertexFaults(); // from here on …
  ~VertexFaults();
  VertexFaults(const VertexFaults&) = delete;
  VertexFaults& operator=(const VertexFaults&) = delete;

  // Nothing, or the fault that ended it. Destructors in `body` do not run then. `stackBytes`: that it may use, on a stack of its own;
  // 0: the thread's.
  std::optional<VertexFault> run(void (*body)(void*), void* argument, int64_t stackBytes);
  // These end the body that runs on this thread.
  [[noreturn]] static void exhausted();
  [[noreturn]] static void failed(); // an assertion of its own
};

} // namespace simcore::run
