// Poplar's header of options for running an engine: here they are those of OptionFlags, and its class holds none of its own.
#pragma once

#include "poplar/OptionFlags.hpp"

namespace poplar {

class RuntimeOptions {};

} // namespace poplar
