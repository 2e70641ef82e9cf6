// Scripts that complete the words of a command line in bash, zsh and fish, made from the declarations of the commands: a new
// option is completed without further code.
#pragma once

#include "app/cli/options.h"

#include <string>

namespace app::cli {

// `all`: the program with its commands. A shell reads the script from its completion folder, or directly: bash and zsh with
// `source <(…)`, fish with `… | source`.
std::string bashCompletion(const CommandWords& all);
std::string zshCompletion(const CommandWords& all);
std::string fishCompletion(const CommandWords& all);

} // namespace app::cli
