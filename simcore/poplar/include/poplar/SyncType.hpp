// The tiles that wait for each other.
#pragma once

#include <ostream>

namespace poplar {

enum class SyncType {
  INTERNAL, // the tiles of one IPU
  EXTERNAL, // the program's IPUs, and the host
  GLOBAL    // the IPUs of all replicas
};
std::ostream& operator<<(std::ostream& out, const SyncType& type);

} // namespace poplar
