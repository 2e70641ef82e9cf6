// The tiles that wait for each other.
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
