// Limit for the elements of all host tensors of this process together. A model file can request any amount of memory, and the
// operating system would kill this or another process instead of refusing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace simcore::numerics {

// Sets the limit in bytes. Default: four fifths of the computer's memory, or of the limit of a container or `ulimit`.
void limitHostMemory(std::int64_t bytes);
std::int64_t hostMemoryLimit();
// Bytes that tensors may still take, at least 0.
std::int64_t freeHostMemory();

// During its lifetime, tensors may take at most `bytes` more than they take at its start. Used for computations before a run,
// because a few numbers in a file can make them huge. The limit above applies too.
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
// Memory filled with zeros. The system provides the pages of large blocks at the first write, so a large block does not count
// towards the limit unless it alone exceeds the limit. So the optimiser's state of a model that is only timed takes no memory.
std::shared_ptr<std::byte> zeroedMemory(std::size_t bytes);

} // namespace simcore::numerics
