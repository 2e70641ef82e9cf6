// A summary as JSON. The keys are an interface for scripts: keys may be added, never renamed.
#pragma once

#include "analyser/summary/summary.h"
#include "app/cli/budget.h"

namespace app::cli {

std::string summaryJson(const analyser::summary::Summary& summary);
BudgetFigures summaryFigures(const analyser::summary::Summary& summary); // its numbers, levels joined by dots

} // namespace app::cli
