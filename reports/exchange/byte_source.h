// The bytes of a trace file, unpacked while reading: plain, gzip (also several members) or zstd (also several frames), recognised
// by the first bytes, not by the name. UTF-16 becomes UTF-8. Memory does not grow with the file. For a truncated packed file, the
// readable part is returned.
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

  // Fills `out` from its start; returns fewer bytes than requested only at the end, then 0. Throws Error(Io) if the disk fails.
  std::size_t read(std::span<char> out);

  int64_t fileBytes() const;            // size of the file as stored
  double fraction() const;              // share of the stored bytes that was read
  bool isPacked() const;                // gzip or zstd
  const std::string& endReason() const; // why a packed file ended early; empty if it did not
  bool isFollowed() const;              // complete packed data is followed by other bytes; endReason() names them

private:
  struct State;
  std::unique_ptr<State> m_state;
};

// Highest ratio of unpacked to packed bytes; a higher one counts as a decompression bomb. Traces compress by 5 to 50.
inline constexpr int64_t kMostUnpacking = 400;
inline constexpr int64_t kTrustedBytes = int64_t(512) << 20; // unpacked size below which any ratio is accepted

// A sliding window over a source: [at(), end()) is in memory.
class Window {
public:
  Window(ByteSource& source, Progress& progress, std::stop_token stop);
  const char* at() const { return m_buffer.data() + m_at; }
  const char* end() const { return m_buffer.data() + m_size; }
  std::size_t size() const { return m_size - m_at; }
  bool atEnd() const { return m_finished; }                    // the window has the last bytes
  int64_t offset() const { return m_dropped + int64_t(m_at); } // offset of at() in the unpacked bytes
  void advanceTo(const char* to) { m_at = std::size_t(to - m_buffer.data()); }
  // Reads more, keeping the bytes from at(). False at the end. at() and end() change. Reports progress; throws Cancelled.
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
