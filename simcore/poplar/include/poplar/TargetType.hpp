// The kind of machine for a program.
#pragma once

#include <ostream>
#include <string>

namespace poplar {

enum class TargetType {
  IPU,       // found with a DeviceManager; simulated here, too
  IPU_MODEL, // described by an IPUModel: vertices take the cycles that programs state for them
  CPU        // one tile, for tests
};
std::string toString(TargetType type);
std::ostream& operator<<(std::ostream& out, const TargetType& type);

} // namespace poplar
