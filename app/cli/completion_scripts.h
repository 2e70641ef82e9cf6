// Scripts that complete the words of a command line in bash, zsh and fish, made from the commands as they are declared: a new option
// is completed without a word more.
#pragma once

#include "app/cli/options.h"

#include <string>

namespace app::cli {

// `all`: the program with its commands. Sourced by the shell, or put where it looks for completions.
std::string bashCompletion(const CommandWords& all);
std::string zshCompletion(const CommandWords& all);
std::string fishCompletion(const CommandWords& all);

} // namespace app::cli
