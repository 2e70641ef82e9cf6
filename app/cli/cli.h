// The whole command line as a function: parse, run, turn errors into one line on the error stream and an exit code.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

// `arguments` without the program's name. Returns 0 ok, 1 the answer is no, 2 error. Never throws.
int runCommandLine(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err, bool errIsTerminal,
                   std::stop_token stop, const std::string& program = "tilescope-cli");

// Every command with its declared options.
CommandWords commandWords();

} // namespace app::cli
