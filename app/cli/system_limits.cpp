#include "app/cli/system_limits.h"

#include <algorithm>
#include <latch>
#include <thread>
#include <vector>

namespace app::cli {

std::string refusalOf(const std::system_error& error) {
  if (error.code() == std::errc::resource_unavailable_try_again) return "the system allows no more threads (ulimit -u)";
  return std::string("the system refused: ") + error.what();
}

void requireThreads() {
  std::latch done(1);
  std::vector<std::jthread> threads; // all at the same time, as a library needs them
  try {
    for (unsigned i = 1; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back([&] { done.wait(); });
  } catch (...) {
    done.count_down();
    throw;
  }
  done.count_down();
}

} // namespace app::cli
