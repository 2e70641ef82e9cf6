// Returns freed memory to the system, so that a window uses little memory again after a large report.
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace app::gui {

// Call it before the first thread starts. Blocks from 256 KiB on (decoded slices and levels) are mapped separately. By default glibc raises this
// bound with each freed one, up to 32 MiB, and keeps freed blocks in the pools of the threads.
inline void mapLargeBlocks() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

} // namespace app::gui
