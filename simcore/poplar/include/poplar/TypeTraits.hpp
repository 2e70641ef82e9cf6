// The type of the machine's elements for a type of C++: equivalent_device_type.
#pragma once

#include "poplar/Type.hpp"
