#include "app/cli/out_of_memory.h"

#include "app/cli/command.h"
#include "app/cli/system_limits.h"
#include "reports/sqlite/part_file.h"

#include <unistd.h>

#include <cstring>
#include <exception>
#include <new>
#include <system_error>

namespace app::cli {

namespace {

// Prints without C++ streams, because they may need memory, too.
void tell(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void endWithMessage() noexcept {
  tell("tilescope-cli: ");
  const std::exception_ptr error = std::current_exception();
  if (!error) tell("internal error: std::terminate was called");
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    tell("this computer does not have enough memory");
  } catch (const std::system_error& e) {
    tell(refusalOf(e).c_str());
  } catch (const std::exception& e) {
    tell("internal error: ");
    tell(e.what());
  } catch (...) {
    tell("internal error: an exception of an unknown kind");
  }
  tell("\n");
  reports::PartFile::removeAll();
  _exit(kFailed);
}

} // namespace

void endOnUncaught() { std::set_terminate(endWithMessage); }

} // namespace app::cli
