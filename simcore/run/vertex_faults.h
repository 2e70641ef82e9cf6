// Faults of user code end the body of a vertex, not the process: an access outside of memory, a division by zero, stack overflow,
// too many instructions. Signals are caught only while vertices run, and only those that a body raised; all others go to the
// application's handlers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace simcore::run {

struct VertexFault {
  enum class Kind { Access, Arithmetic, Instruction, Stack, Budget, Assertion };
  Kind kind = Kind::Access;
  const std::byte* address = nullptr; // of an access
  std::optional<bool> writes;         // empty if the processor does not report it
};

class VertexFaults {
public:
  VertexFaults(); // signals are caught from here on …
  ~VertexFaults();
  VertexFaults(const VertexFaults&) = delete;
  VertexFaults& operator=(const VertexFaults&) = delete;

  // Returns the fault that ended the body, or nullopt. After a fault, destructors in `body` do not run. `stackBytes`: size of a
  // separate stack for the body; 0: the thread's stack.
  std::optional<VertexFault> run(void (*body)(void*), void* argument, int64_t stackBytes);
  // While the body runs on this thread, a faulting access is repeated if `mends` returns true for it. Null: never.
  using Mends = bool (*)(const std::byte* address, std::optional<bool> writes);
  static void mendAccesses(Mends mends);
  // These end the body that runs on this thread.
  [[noreturn]] static void exhausted();
  [[noreturn]] static void failed(); // an assertion in the body failed
};

} // namespace simcore::run
