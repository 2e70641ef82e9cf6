// The tiles that a barrier synchronises.
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
