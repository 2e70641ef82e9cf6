// The bytes of a trace file, unpacked as they are read: plain, gzip (several members too) or zstd (several frames too), recognised by
// the first bytes, not by the name. UTF-16 becomes UTF-8. Memory does not grow with the file. Of a cut packed file, the readable part is given.
#pragma once

#include "reports/core/progress.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace reports::exchange {

class ByteSource {
public:
  // Throws Error(NotFound or Io): no such file, a directory, no permission.
  explicit ByteSource(const std::filesystem::path& file);
  // The bytes of a text in memory, e.g. of a test; it must outlive the source.
  explicit ByteSource(std::string_view bytes);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills `out` from its start; fewer bytes than asked for only at the end, then 0. Throws Error(Io) if the disk fails.
  std::size_t read(std::span<char> out);

  int64_t fileBytes() const;            // size of the file as stored
  double fraction() const;              // of the stored bytes that were read
  bool isPacked() const;                // gzip or zstd
  const std::string& endReason() const; // why a packed file ended early; empty if it did not
  bool isFollowed() const;              // other bytes follow the complete packed data; endReason() says so

private:
  struct State;
  std::unique_ptr<State> m_state;
};

// Highest ratio of unpacked to packed bytes; a higher one is taken for a decompression bomb. Traces pack 5 to 50 times.
inline constexpr int64_t kMostUnpacking = 400;
inline constexpr int64_t kTrustedBytes = int64_t(512) << 20; // unpacked size below which any ratio is fine

// A window over a source that slides: [at(), end()) is in memory.
class Window {
public:
  Window(ByteSource& source, Progress& progress, std::stop_token stop);
  const char* at() const { return m_buffer.data() + m_at; }
  const char* end() const { return m_buffer.data() + m_size; }
  std::size_t size() const { return m_size - m_at; }
  bool atEnd() const { return m_finished; }                    // the window has the last bytes
  int64_t offset() const { return m_dropped + int64_t(m_at); } // of at() from the start of the unpacked bytes
  void advanceTo(const char* to) { m_at = std::size_t(to - m_buffer.data()); }
  // Reads on, keeping the bytes from at(). False at the end. at() and end() change. Reports progress; throws Cancelled.
  bool grow();

private:
  ByteSource& m_source;
  Progress& m_progress;
  std::stop_token m_stop;
  std::string m_buffer;
  std::size_t m_at = 0, m_size = 0;
  int64_t m_dropped = 0;
  bool m_finished = false;
};

} // namespace reports::exchange
