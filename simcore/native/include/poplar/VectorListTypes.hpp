// The layouts of lists of vectors.
#pragma once

#include <poplar/Vertex.hpp>
