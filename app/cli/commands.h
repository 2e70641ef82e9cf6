// The list of commands. A new command needs two files and a line in commands.cpp.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

std::vector<std::unique_ptr<Command>> allCommands();

} // namespace app::cli
