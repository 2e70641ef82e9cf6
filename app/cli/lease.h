// Marks a task as taken: a file made by exactly one process, refreshed while the process works, removed at the end. A lease is
// void if its process on this host is dead, or if it was not refreshed for a while. It avoids duplicate work; it is not a lock:
// two processes that do the same task write the same files.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace app::cli {

class Lease {
public:
  // Takes the lease; nothing if another process holds it. Throws Error(Io) if the folder cannot be written.
  static std::optional<Lease> take(const std::filesystem::path& file, std::chrono::seconds lifetime);
  // Removes a void lease: its process is dead, or is on another computer and has not refreshed it for longer than `lifetime`.
  static void removeStale(const std::filesystem::path& file, std::chrono::seconds lifetime);
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();
  void refresh() const;

private:
  Lease(std::filesystem::path file, std::string content) : m_file(std::move(file)), m_content(std::move(content)) {}
  void release() noexcept;
  std::filesystem::path m_file; // empty once moved from
  std::string m_content;
};

} // namespace app::cli
