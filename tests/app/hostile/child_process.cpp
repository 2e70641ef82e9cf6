#include "tests/app/hostile/child_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tests {

std::string contentOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Ended runLimited(const std::vector<std::string>& arguments, const std::filesystem::path& errors, unsigned seconds,
                 const std::filesystem::path& output, const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit time{seconds, seconds + 1}, none{0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &none);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    dup2(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Ended ended;
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  ended.kibibytes = usage.ru_maxrss;
  ended.error = contentOf(errors);
  return ended;
}

} // namespace tests
