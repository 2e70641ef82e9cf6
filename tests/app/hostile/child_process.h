// Runs a program of the build folder as a child process with limits; gives its exit code, peak memory and standard error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tests {

struct Ended {
  int code = -1; // below zero: of the signal that ended it
  int64_t kibibytes = 0;
  std::string error; // what it wrote to standard error
};

// Standard output goes to `output`, or nowhere; `environment` is added to this process's.
Ended runLimited(const std::vector<std::string>& arguments, const std::filesystem::path& errors, unsigned seconds,
                 const std::filesystem::path& output = "/dev/null",
                 const std::vector<std::pair<std::string, std::string>>& environment = {});

std::string contentOf(const std::filesystem::path& file);

} // namespace tests
