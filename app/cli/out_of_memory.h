// Memory can also run out in a function that must not throw: the destructors of some libraries allocate. Then the program cannot
// continue, but it ends as for any error: with a message, exit code 2 and without a partial file.
#pragma once

namespace app::cli {

// From now on, an exception that nothing can catch ends the process this way. Unless it is std::bad_alloc, its text is printed.
void endOnUncaught();

} // namespace app::cli
