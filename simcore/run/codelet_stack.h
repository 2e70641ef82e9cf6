// A stack for the bodies of vertices, one a thread: it is as large as a tile's memory allows, and what lies behind it cannot be touched,
// so that a body that needs more is found wherever the thread's own stack would have had room.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simcore::run {

// Runs body(argument) with so many bytes of stack, and some for those who call bodies. It must not throw.
void onCodeletStack(int64_t bytes, void (*body)(void*), void* argument);
// Whether the address lies behind the end of this thread's stack for bodies. Of a signal's handler, too.
bool isBehindCodeletStack(const std::byte* address);

} // namespace simcore::run
