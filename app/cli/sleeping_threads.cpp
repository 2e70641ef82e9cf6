#include "app/cli/sleeping_threads.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace app::cli {

namespace {
bool computesNumbers(char** argv) {
  if (!argv[0] || !argv[1]) return false;
  const std::string_view command = argv[1];
  char** end = argv;
  while (*end) ++end;
  if (command == "run") return std::none_of(argv, end, [](std::string_view word) { return word == "--no-numbers"; });
  return command == "onnx-test" || command == "validate-model";
}
} // namespace

void restartWithSleepingThreads(char** argv) {
  if (!computesNumbers(argv)) return;
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0) execv("/proc/self/exe", argv);
}

} // namespace app::cli
