// Headers that are compiled once for all codelets.
#pragma once

#include <tilescope_builtins.h>

#include <poplar/Vertex.hpp>
