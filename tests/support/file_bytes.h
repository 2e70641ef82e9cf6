// The bytes of a file, so that a test can check that it is unchanged or equals another file.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tests {

// Empty if the file cannot be read.
inline std::string bytesOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace tests
