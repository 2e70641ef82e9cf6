// Bytes as a file, for readers that need a path: in memory if the system has such a folder, and removed at the end.
#pragma once

#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>

namespace fuzz {

class ScratchFolder {
public:
  ScratchFolder() {
    if (std::filesystem::is_directory("/dev/shm")) setenv("TMPDIR", "/dev/shm", 1);
    m_folder.emplace();
  }
  std::filesystem::path write(const std::string& name, std::span<const uint8_t> bytes) const {
    const auto file = *m_folder / name;
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ptrdiff_t(bytes.size()));
    return file;
  }
  std::filesystem::path path() const { return m_folder->path(); }

private:
  std::optional<tests::TemporaryFolder> m_folder;
};

} // namespace fuzz
