// Another name of poplar/StackSizeDefs.hpp.
#pragma once

#include <poplar/StackSizeDefs.hpp>
