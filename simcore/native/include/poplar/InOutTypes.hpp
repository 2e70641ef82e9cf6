// Fields of a vertex that it reads, writes, or both.
#pragma once

#include <poplar/Vertex.hpp>
