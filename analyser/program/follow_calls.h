// Costs of nodes, the functions they call included; for program_tree.cpp.
#pragma once

#include "analyser/program/program_tree.h"

namespace analyser::program {

// Fills `inclusive`, and `executions` of nodes that only hold others. Profiles count the steps of a function over all its calls, not by
// call: a call gets a share of the function's cost by its executions, which its neighbours have.
void followCalls(Program& program);
// Makes titles of equal steps under one parent, and of equal roots, differ: by their whole names, or by their ids.
void tellApart(Program& program);
// Functions that layers share have one name. Gives each call the path of the operation for which it runs: of its first, where it
// runs for several.
void nameCalls(Session& session, Program& program, const std::stop_token& stop);

} // namespace analyser::program
