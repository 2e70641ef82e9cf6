// How a stream delivers values to the replicas of a program.
#pragma once

#include <ostream>

namespace poplar {

enum class ReplicatedStreamMode {
  REPLICATE, // its own value to each
  BROADCAST  // the same value to all
};
std::ostream& operator<<(std::ostream& out, const ReplicatedStreamMode& mode);

} // namespace poplar
