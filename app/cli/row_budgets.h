// Budgets of one operation or one variable of a comparison: op("fc1").cycles>+5%, var("fc1/weights").bytes>0.
#pragma once

#include "analyser/compare/compare.h"
#include "app/cli/budget.h"

namespace app::cli {

// Adds the figures for budgets of this form. Throws Error(NotFound) for a name that the reports lack, and for a name that only
// the base has, because a removed row cannot have a budget.
void addRowFigures(const std::vector<Budget>& budgets, const analyser::compare::Comparison& comparison,
                   std::vector<BudgetFigure>& figures);

} // namespace app::cli
