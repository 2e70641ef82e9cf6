// A stack for the bodies of vertices, one per thread. It is as large as a tile's memory allows, and the memory beyond its end cannot be
// touched, so a body that needs more is detected even if the thread's own stack would have had room.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simcore::run {

// Runs body(argument) with a stack of `bytes`, plus some for the callers of bodies. The body must not throw.
void onCodeletStack(int64_t bytes, void (*body)(void*), void* argument);
// Whether the address is in the inaccessible memory after this thread's stack for bodies. May be called by a signal handler.
bool isBehindCodeletStack(const std::byte* address);

} // namespace simcore::run
