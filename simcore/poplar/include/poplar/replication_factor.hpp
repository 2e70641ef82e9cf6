// How many copies of a graph run: replication_factor.
#pragma once

#include "poplar/Graph.hpp"
