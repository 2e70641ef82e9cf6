#include "app/cli/sleeping_threads.h"

#include <cstdlib>
#include <unistd.h>

namespace app::cli {

void restartWithSleepingThreads(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0) execv("/proc/self/exe", argv);
}

} // namespace app::cli
