// Memory limit of this process for the elements of all host tensors together. A model from a file can request any amount, and the
// operating system would kill this process, or another one, instead of refusing the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace simcore::numerics {

// In bytes; default: four fifths of the memory of the computer, or of the limit of a container or `ulimit`.
void limitHostMemory(std::int64_t bytes);
std::int64_t hostMemoryLimit();
// Bytes that counted memory may still take, at least 0.
std::int64_t freeHostMemory();

// During its lifetime, tensors may take at most `bytes` more than they already take. Used for computations before a run, because a few numbers in
// a file can make them huge. The limit above applies too.
class MemoryAllowance {
public:
  explicit MemoryAllowance(std::int64_t bytes);
  ~MemoryAllowance();
  MemoryAllowance(const MemoryAllowance&) = delete;
  MemoryAllowance& operator=(const MemoryAllowance&) = delete;

private:
  std::int64_t m_previous;
};

// Memory that counts towards the limit until it is freed. Null if memory is exhausted or the limit would be exceeded.
std::shared_ptr<std::byte> countedMemory(std::size_t bytes);
// Zeros. Large blocks are pages that the system provides at their first write: they count only if they alone exceed the limit, because the
// optimiser's state of a model that is only timed uses no memory.
std::shared_ptr<std::byte> zeroedMemory(std::size_t bytes);

} // namespace simcore::numerics
