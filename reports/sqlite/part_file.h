// An unfinished file: `name.part.<pid>.<random>` beside its target. publish() moves it to the target in one step; otherwise it is
// removed. An existing file is replaced only if it is of the same kind: devices, FIFOs and other files of the user are rejected.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace reports {

class PartFile {
public:
  enum class Replaces { Reports, ReadOnlyReports, AnyFile };
  // Follow: replaces the file that a link points to. Refuse: for untrusted folders, which may contain planted links.
  enum class Links { Follow, Refuse };

  // Creates the empty temporary file and removes those of dead processes. If it replaces a file, it takes over its permissions. A
  // new report, and a new file in an untrusted folder, is readable only by its owner (0600); other new files follow the umask.
  // Throws Error: Io (not writable, read-only unless ReadOnlyReports, not a regular file), InvalidInput (a file that is neither
  // empty nor a report, a link that is refused).
  explicit PartFile(std::filesystem::path target, Replaces replaces = Replaces::Reports, Links links = Links::Follow);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& target() const { return m_target; } // as given
  const std::filesystem::path& path() const { return m_path; }     // of the temporary file; empty once published or removed

  void publish(); // syncs the file, renames it over the target, syncs the directory. Throws Error(Io)
  void remove() noexcept;

  // Removes the temporary files of all parts of this process: for ending a process whose work does not stop. Any thread may call
  // it.
  static void removeAll() noexcept;

private:
  void keepPermissions();
  void enlist() noexcept;
  void delist() noexcept;

  std::optional<unsigned> m_permissions;           // of the replaced file
  std::filesystem::path m_target, m_place, m_path; // m_place: the target after following links
  PartFile* m_next = nullptr;                      // list of the parts of this process
};

// Throws the error that the constructor of PartFile would throw for `target`, before there is anything to write.
void requireReplaceable(const std::filesystem::path& target, PartFile::Replaces replaces = PartFile::Replaces::Reports,
                        PartFile::Links links = PartFile::Links::Follow);

// Temporary files beside `target`, of any target, whose process (on this machine) is dead.
std::vector<std::filesystem::path> staleParts(const std::filesystem::path& target);

} // namespace reports
