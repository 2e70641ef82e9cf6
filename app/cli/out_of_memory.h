// Memory can also run out where no exception may leave: the destructors of some libraries allocate. Then the program cannot go on, but it
// ends as any error does, with a message, exit code 2 and no file in the making.
#pragma once

namespace app::cli {

// From here on an exception that nothing can catch ends the process so. Of another exception than std::bad_alloc the text is told.
void endOnUncaught();

} // namespace app::cli
