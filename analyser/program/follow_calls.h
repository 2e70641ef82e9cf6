// Costs of nodes, including the functions they call; for program_tree.cpp.
#pragma once

#include "analyser/program/program_tree.h"

namespace analyser::program {

// Sets `inclusive`, and `executions` of inner nodes. Profiles count the steps of a function over all its calls, not by call: a call gets a share
// of the function's cost by its executions, which its neighbours have.
void followCalls(Program& program);
// Makes titles of equal steps under one parent, and of equal roots, differ: by their full names, or by their ids.
void tellApart(Program& program);
// Functions that layers share have one name. Names each call after the operation for which it runs: the first one if there are
// several.
void nameCalls(Session& session, Program& program, const std::stop_token& stop);

} // namespace analyser::program
