// The number of copies of a graph that run: replication_factor.
#pragma once

#include "poplar/Graph.hpp"
