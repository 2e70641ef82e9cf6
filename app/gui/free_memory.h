// Returns freed memory to the system, so that a window uses little memory again after a large report.
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace app::gui {

// Call it before the first thread starts. Blocks of 256 KiB or more (decoded slices and levels) are mapped separately, so that
// they return to the system when they are freed. By default, glibc raises this threshold up to 32 MiB when such blocks are freed,
// and keeps freed blocks in the pools of the threads.
inline void mapLargeBlocks() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

} // namespace app::gui
