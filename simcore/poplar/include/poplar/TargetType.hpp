// The kind of machine that a program is made for.
#pragma once

#include <ostream>
#include <string>

namespace poplar {

enum class TargetType {
  IPU,       // found with a DeviceManager; here it is simulated too
  IPU_MODEL, // described by an IPUModel: vertices take the cycles that programs state for them
  CPU        // one tile, for tests
};
std::string toString(TargetType type);
std::ostream& operator<<(std::ostream& out, const TargetType& type);

} // namespace poplar
