// Which tiles wait for one another.
#pragma once

#include <ostream>

namespace poplar {

enum class SyncType {
  INTERNAL, // those of one IPU
  EXTERNAL, // those of the program's IPUs, and the host
  GLOBAL    // those of all replicas
};
std::ostream& operator<<(std::ostream& out, const SyncType& type);

} // namespace poplar
