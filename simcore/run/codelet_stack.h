// A stack for the bodies of vertices, one per thread. It is as large as a tile's memory allows, followed by inaccessible memory.
// So a body that needs more stack is detected even if the thread's own stack would be large enough.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simcore::run {

// Runs body(argument) on a stack of `bytes`, plus some for the functions that call it. The body must not throw.
void onCodeletStack(int64_t bytes, void (*body)(void*), void* argument);
// Whether the address is in the inaccessible memory after this thread's stack for bodies. May be called by a signal handler.
bool isBehindCodeletStack(const std::byte* address);

} // namespace simcore::run
