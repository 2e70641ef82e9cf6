// `tilescope-popc`: compiles codelets into a .gp file, with the command
// line of the SDK's popc, so that existing Makefiles and CMake files work.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace app::popc {

// Returns the exit code: 0, or 1 after one message on `errors`.
int runPopc(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& errors);

} // namespace app::popc
