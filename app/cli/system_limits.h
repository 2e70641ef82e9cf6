// Limits of the operating system, and their words.
#pragma once

#include <string>
#include <system_error>

namespace app::cli {

// "the system allows no more threads (ulimit -u)", or what the system said.
std::string refusalOf(const std::system_error& error);

// Throws std::system_error if this process may not have a thread for each processor. Call before libraries make theirs: OpenMP ends the
// process with exit code 1 when it gets none.
void requireThreads();

} // namespace app::cli
