// Exists so that programs written for Poplar compile. The class is empty: run-time options are in OptionFlags.
#pragma once

#include "poplar/OptionFlags.hpp"

namespace poplar {

class RuntimeOptions {};

} // namespace poplar
