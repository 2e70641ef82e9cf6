// Functions and values of the machine that compiled codelets use at run time, one object per thread. Codelets include this file
// too, so it must not include other headers of Tilescope.
#pragma once

#include <cstdint>

namespace simcore::graph {

struct MachineHooks {
  void* context = nullptr;                     // first argument of the three functions
  uint64_t (*random)(void* context) = nullptr; // 64 bits of the worker's generator; null: the library's default
  void (*print)(void* context, const char* text, uint64_t bytes) = nullptr; // null: standard error
  void (*fail)(void* context, const char* why) = nullptr;                   // an assertion failed; never returns; null: abort()
  uint64_t startCycle = 0;                                                  // of the tile; counted cycles are added to it
  uint32_t tile = 0;
  uint32_t worker = 0;
  bool isSupervisor = false;
};

} // namespace simcore::graph
