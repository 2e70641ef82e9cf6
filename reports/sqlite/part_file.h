// A file in the making: `name.part.<pid>.<random>` beside its target, put in place whole by publish() or removed.
#pragma once

#include <filesystem>
#include <vector>

namespace reports {

class PartFile {
public:
  // Creates the empty temporary file and removes those of dead processes. Throws Error(Io).
  explicit PartFile(std::filesystem::path target);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& target() const { return m_target; }
  const std::filesystem::path& path() const { return m_path; } // of the temporary file; empty once published or removed

  void publish(); // syncs the file, renames it over the target, syncs the directory. Throws Error(Io)
  void remove() noexcept;

private:
  std::filesystem::path m_target, m_path;
};

// Temporary files of `target` whose process is dead (of this machine).
std::vector<std::filesystem::path> staleParts(const std::filesystem::path& target);

} // namespace reports
