// The argument of estimators of vertices. Estimators are never called here: see Graph::registerPerfEstimator.
#pragma once

#include "poplar/PerfEstimateFunc.hpp"
