// The layout of a recording (*.tsrec), shared by the recorder, the importer and the Python
// module. All numbers are little-endian. A file is one header of kHeaderBytes and chunks
// of kChunkBytes. A chunk belongs to one thread, and a thread's chunks are numbered in
// order. A chunk's `used` grows after a record is complete, so a reader may read the bytes
// below it at any time. A record starts with a word: the low 8 bits are its kind, the rest
// is nanoseconds since Header::startMonotonic. Records are multiples of 8 bytes and never
// cross the end of a chunk. Strings are numbered per thread, and defined before their use.
#pragma once

#include <cstdint>

namespace tilescope_trace::format {

inline constexpr std::uint64_t kMagic = 0x0000315443455354ull; // "TSECT1\0\0"
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint64_t kHeaderBytes = 4096, kChunkBytes = 65536;
inline constexpr std::uint32_t kChunkMagic = 0x4b4e4843; // "CHNK"
inline constexpr std::uint32_t kMostStringBytes = 32768; // longer texts are cut

struct Header {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t chunkBytes = kChunkBytes;
  std::int64_t processId = 0;
  std::int64_t startUnix = 0;      // nanoseconds since 1970
  std::int64_t startMonotonic = 0; // nanoseconds of CLOCK_MONOTONIC at the same moment
  std::uint64_t lostEvents = 0;
  std::uint32_t isClosed = 0; // 1: the recorder ended normally
  std::uint32_t nameBytes = 0;
  char name[256] = {}; // of the process, UTF-8
};

struct ChunkHeader {
  std::uint32_t magic = kChunkMagic;
  std::uint32_t thread = 0;   // from 0, in order of the first event
  std::uint32_t sequence = 0; // from 0 in each thread
  std::uint32_t used = 0;     // bytes of records after this header
  std::int64_t threadId = 0;  // the operating system's
  std::int64_t reserved = 0;
};

enum class Kind : std::uint8_t {
  Begin = 1,         // string label, string channel
  End = 2,           // closes the innermost slice
  EndNamed = 3,      // string label, string channel: closes the innermost slice with these names
  Instant = 4,       // string label, string channel
  String = 5,        // number, bytes, then the bytes, padded to 8
  ThreadName = 6,    // string, 0
  Metadata = 7,      // bytes, 0, then JSON, padded to 8: for the Begin or Instant before it
  Series = 8,        // number, string graph, string unit, string series
  Sample = 9,        // series number, 0, then a double
  Heatmap = 10,      // number, edges n, string name, string unit, then n doubles
  HeatmapSample = 11 // number, bins n, then n 32-bit counts, padded to 8
};

} // namespace tilescope_trace::format
