// How much of this computer's memory the elements of all host tensors together may take. The limit is the process's: a model from a
// file can ask for any amount, and the system would rather end the process, or another one, than say no.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace simcore::numerics {

// In bytes; until it is called, four fifths of the computer's memory.
void limitHostMemory(std::int64_t bytes);
std::int64_t hostMemoryLimit();

// Memory that counts towards the limit until it is freed. Null where there is none, or the limit would be exceeded.
std::shared_ptr<std::byte> countedMemory(std::size_t bytes);
// Zeros. Large ones are pages that the system gives when they are first written: they count only if they alone exceed the limit, for
// the optimiser's state of a model that is only timed costs nothing.
std::shared_ptr<std::byte> zeroedMemory(std::size_t bytes);

} // namespace simcore::numerics
