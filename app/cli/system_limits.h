// Limits of the operating system, and messages about them.
#pragma once

#include <string>
#include <system_error>

namespace app::cli {

// "the system allows no more threads (ulimit -u)", or the system's own message.
std::string refusalOf(const std::system_error& error);

// Throws std::system_error if this process cannot have a thread for each processor. Call it before libraries make theirs: OpenMP
// ends the process with exit code 1 if it gets none.
void requireThreads();

} // namespace app::cli
