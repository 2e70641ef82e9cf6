// Costs of nodes, including the functions they call; for program_tree.cpp.
#pragma once

#include "analyser/program/program_tree.h"

namespace analyser::program {

// Sets `inclusive`, and `executions` of nodes without a count. Profiles count the steps of a function over all its calls, so a
// call gets a share of the function's cost by its executions, which follow from the steps around the call.
void followCalls(Program& program);
// Makes titles of equal steps under one parent, and of equal roots, differ: by their full names, or by their ids.
void tellApart(Program& program);
// Names each call after the operation for which it runs, because functions that layers share have one name. If there are several
// operations, the first one gives the name.
void nameCalls(Session& session, Program& program, const std::stop_token& stop);

} // namespace analyser::program
