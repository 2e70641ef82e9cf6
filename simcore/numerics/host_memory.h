// How much of this computer's memory the elements of all host tensors together may take. The limit is the process's: a model from a
// file can ask for any amount, and the system would rather end the process, or another one, than say no.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace simcore::numerics {

// In bytes; until it is called, four fifths of the memory that the computer has, or that a container or `ulimit` grants.
void limitHostMemory(std::int64_t bytes);
std::int64_t hostMemoryLimit();
// Bytes that counted memory may still take, at least 0.
std::int64_t freeHostMemory();

// As long as it lives, tensors may take no more than `bytes` beyond what they take already: for what is computed before a run, which a
// few numbers in a file can blow up. The limit above holds too.
class MemoryAllowance {
public:
  explicit MemoryAllowance(std::int64_t bytes);
  ~MemoryAllowance();
  MemoryAllowance(const MemoryAllowance&) = delete;
  MemoryAllowance& operator=(const MemoryAllowance&) = delete;

private:
  std::int64_t m_previous;
};

// Memory that counts towards the limit until it is freed. Null where there is none, or the limit would be exceeded.
std::shared_ptr<std::byte> countedMemory(std::size_t bytes);
// Zeros. Large ones are pages that the system gives when they are first written: they count only if they alone exceed the limit, for
// the optimiser's state of a model that is only timed costs nothing.
std::shared_ptr<std::byte> zeroedMemory(std::size_t bytes);

} // namespace simcore::numerics
