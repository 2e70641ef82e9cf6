#include "reports/recording/recording_reader.h"

#include "reports/core/error.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace reports {

namespace format = tilescope_trace::format;
using format::Kind;

namespace {

constexpr std::size_t kChunkRoom = format::kChunkBytes - sizeof(format::ChunkHeader);
constexpr std::uint32_t kMostNumber = 16384; // of a string in one thread; recorders restart the numbering after 8,192

// Reads the available bytes; returns their number.
std::size_t readSome(std::ifstream& file, std::uint64_t from, void* to, std::size_t bytes) {
  file.clear();
  file.seekg(std::streamoff(from));
  file.read(static_cast<char*>(to), std::streamsize(bytes));
  return std::size_t(file.gcount());
}

bool readAt(std::ifstream& file, std::uint64_t from, void* to, std::size_t bytes) {
  return readSome(file, from, to, bytes) == bytes;
}

std::ifstream opened(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(ErrorCode::Io, std::string("cannot open the recording: ") + std::strerror(errno),
                path.string().starts_with("/proc/self/fd/") ? std::string("the run's own recording, in memory") : path.string(),
                errno == EMFILE || errno == ENFILE ? "allow more open files (ulimit -n)"
                                                   : "check that the file exists and may be read");
  return file;
}

} // namespace

std::uint64_t recordedBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  format::Header header;
  if (!file || !readAt(file, 0, &header, sizeof header) || header.magic != format::kMagic) return 0;
  std::uint64_t bytes = header.isClosed;
  format::ChunkHeader chunk;
  for (std::uint64_t at = format::kHeaderBytes; readAt(file, at, &chunk, sizeof chunk); at += format::kChunkBytes) {
    if (chunk.magic == 0 && chunk.used == 0) break;
    bytes += chunk.used;
  }
  return bytes;
}

// Reads the records of one piece of a chunk. Every read is checked: a record that does not fit ends the piece.
class RecordingReader::Records {
public:
  Records(const char* bytes, std::size_t size, std::uint32_t number, Thread& thread, RecordingEvents& events)
      : m_at(bytes), m_end(bytes + size), m_number(number), m_thread(thread), m_events(events) {}

  // False at a damaged record.
  bool read() {
    while (m_at < m_end)
      if (!one()) return false;
    return true;
  }

private:
  template<typename T> bool take(T& value) {
    if (std::size_t(m_end - m_at) < sizeof value) return false;
    std::memcpy(&value, m_at, sizeof value);
    m_at += sizeof value;
    return true;
  }
  bool takeText(std::uint32_t bytes, std::string_view& text) {
    const std::size_t padded = (std::size_t(bytes) + 7) / 8 * 8;
    if (std::size_t(m_end - m_at) < padded) return false;
    text = {m_at, bytes};
    m_at += padded;
    return true;
  }
  std::string_view string(std::uint32_t number) const {
    return number < m_thread.strings.size() ? std::string_view(m_thread.strings[number]) : std::string_view("?");
  }
  bool defineString(std::uint32_t number, std::uint32_t bytes) {
    std::string_view text;
    if (number > kMostNumber || !takeText(bytes, text)) return false;
    if (number >= m_thread.strings.size()) m_thread.strings.resize(number + 1);
    m_thread.strings[number] = text;
    return true;
  }
  bool defineSeries(std::uint32_t number, std::uint32_t graph) {
    std::uint32_t unit = 0, name = 0;
    if (!take(unit) || !take(name)) return false;
    m_events.series(number, string(graph), string(unit), string(name));
    return true;
  }
  bool defineHeatmap(std::uint32_t number, std::uint32_t edgeCount) {
    std::uint32_t name = 0, unit = 0;
    if (!take(name) || !take(unit) || edgeCount > kChunkRoom / sizeof(double)) return false;
    std::vector<double> edges(edgeCount);
    for (double& edge : edges)
      if (!take(edge)) return false;
    m_events.heatmap(number, string(name), string(unit), edges);
    return true;
  }
  bool heatmapSample(std::int64_t time, std::uint32_t number, std::uint32_t bins) {
    std::string_view packed;
    if (bins > kChunkRoom / 4 || !takeText(bins * 4, packed)) return false;
    std::vector<std::uint32_t> counts(bins);
    std::memcpy(counts.data(), packed.data(), packed.size());
    m_events.heatmapSample(number, time, counts);
    return true;
  }
  bool one();

  const char* m_at;
  const char* m_end;
  std::uint32_t m_number;
  Thread& m_thread;
  RecordingEvents& m_events;
};

bool RecordingReader::Records::one() {
  std::uint64_t word = 0;
  if (!take(word)) return false;
  const auto kind = Kind(word & 0xff);
  const auto time = std::int64_t(word >> 8);
  if (kind == Kind::End) {
    m_events.end(m_number, time);
    return true;
  }
  std::uint32_t first = 0, second = 0;
  if (!take(first) || !take(second)) return false;
  std::string_view text;
  double value = 0;
  switch (kind) {
  case Kind::Begin: m_events.begin(m_number, time, string(second), string(first)); return true;
  case Kind::EndNamed: m_events.endNamed(m_number, time, string(second), string(first)); return true;
  case Kind::Instant: m_events.instant(m_number, time, string(second), string(first)); return true;
  case Kind::String: return defineString(first, second);
  case Kind::ThreadName: m_events.threadName(m_number, string(first)); return true;
  case Kind::Metadata:
    if (!takeText(first, text)) return false;
    m_events.metadata(m_number, text);
    return true;
  case Kind::Series: return defineSeries(first, second);
  case Kind::Sample:
    if (!take(value)) return false;
    m_events.sample(first, time, value);
    return true;
  case Kind::Heatmap: return defineHeatmap(first, second);
  case Kind::HeatmapSample: return heatmapSample(time, first, second);
  case Kind::End: break;
  }
  return false;
}

RecordingReader::RecordingReader(std::filesystem::path file) : m_file(std::move(file)) { readHeader(); }

void RecordingReader::readHeader() {
  std::ifstream file = opened(m_file);
  format::Header header;
  if (!readAt(file, 0, &header, sizeof header) || header.magic != format::kMagic)
    throw Error(ErrorCode::InvalidInput, "this is not a recording of tilescope_trace", m_file.string(), "give a *.tsrec file");
  const auto require = [&](const std::string& what, int64_t given, int64_t read) {
    if (given != read)
      throw Error(ErrorCode::InvalidInput,
                  "the recording has " + what + " " + std::to_string(given) + "; this program reads " + what + " " +
                      std::to_string(read),
                  m_file.string(), "use the release of Tilescope that recorded it, or a later one");
  };
  require("version", int64_t(header.version), int64_t(format::kVersion));
  require("chunk size", int64_t(header.chunkBytes), int64_t(format::kChunkBytes));
  m_header = header;
}

std::string RecordingReader::processName() const {
  return std::string(m_header.name, std::min<std::size_t>(m_header.nameBytes, sizeof m_header.name));
}

void RecordingReader::read(RecordingEvents& events) {
  readHeader();
  findChunks(events);
  for (auto& [number, thread] : m_threads) readThread(number, thread, events);
}

void RecordingReader::findChunks(RecordingEvents& events) {
  std::ifstream file = opened(m_file);
  for (;;) {
    format::ChunkHeader chunk;
    const std::uint64_t at = format::kHeaderBytes + m_chunksSeen * format::kChunkBytes;
    if (!readAt(file, at, &chunk, sizeof chunk)) return;
    // a reserved but unused chunk: all zero while the recorder works, and at the end of a killed one
    if (chunk.magic == 0 && chunk.used == 0) return;
    ++m_chunksSeen;
    if (chunk.magic != format::kChunkMagic) {
      ++m_damaged;
      continue;
    }
    const auto [thread, isNew] = m_threads.try_emplace(chunk.thread);
    if (isNew) events.thread(chunk.thread, chunk.threadId);
    if (chunk.sequence < thread->second.next || !thread->second.chunks.emplace(chunk.sequence, at).second) ++m_damaged;
  }
}

void RecordingReader::readThread(std::uint32_t number, Thread& thread, RecordingEvents& events) {
  std::ifstream file = opened(m_file);
  std::vector<char> bytes;
  while (!thread.chunks.empty()) {
    const auto [sequence, at] = *thread.chunks.begin();
    if (sequence != thread.next) { // the previous chunk is damaged or missing
      ++m_damaged;
      thread.next = sequence;
      thread.read = 0;
    }
    // whether another chunk follows is determined before this one's size is read: events in between are left for the next read()
    const bool isLast = thread.chunks.size() == 1;
    format::ChunkHeader chunk;
    if (!readAt(file, at, &chunk, sizeof chunk)) return;
    bool isWhole = chunk.used <= kChunkRoom && chunk.used >= thread.read;
    if (isWhole && chunk.used > thread.read) {
      bytes.resize(chunk.used - thread.read);
      const std::size_t there = readSome(file, at + sizeof chunk + thread.read, bytes.data(), bytes.size());
      isWhole = Records(bytes.data(), there, number, thread, events).read() && there == bytes.size();
      thread.read = chunk.used;
    }
    if (!isWhole) ++m_damaged;
    if (isLast && isWhole) return; // the recording may still grow
    thread.chunks.erase(thread.chunks.begin());
    thread.next = sequence + 1;
    thread.read = 0;
  }
}

} // namespace reports
