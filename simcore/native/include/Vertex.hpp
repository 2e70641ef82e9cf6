// An older name of poplar/Vertex.hpp.
#pragma once

#include <poplar/Vertex.hpp>
