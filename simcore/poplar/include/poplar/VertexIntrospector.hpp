// Named by estimators of vertices, which are never called here: see Graph::registerPerfEstimator.
#pragma once

#include "poplar/PerfEstimateFunc.hpp"
