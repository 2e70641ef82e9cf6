// What a file holds, so that a test can say that it was left alone or that two are the same.
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
