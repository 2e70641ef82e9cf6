// The machine's element type for a C++ type: equivalent_device_type.
#pragma once

#include "poplar/Type.hpp"
