// The chunk that one thread writes its records into, and the numbers of the strings that it has defined. No locks: only the
// owning thread touches it. A lock is taken once for a chunk, that is once in some thousands of events.
#pragma once

#include "reports/recording/recording_format.h"
#include "reports/recording/tilescope_trace.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope_trace {

// Numbers of strings, from 0. Bounded: full() says that it is time to clear() and define all strings again.
class StringNumbers {
public:
  StringNumbers();
  // The number of `text`; `isNew` is set where it has just been given.
  std::uint32_t number(std::string_view wanted, bool& isNew) {
    const auto address = reinterpret_cast<std::uintptr_t>(wanted.data());
    Recent& recent = m_recent[(address ^ address >> 6) % kRecent];
    if (recent.at == wanted.data() && text(recent.number) == wanted) {
      isNew = false;
      return recent.number;
    }
    recent = {wanted.data(), lookUp(wanted, isNew)};
    return recent.number;
  }
  bool full() const { return m_ends.size() > kMost || m_texts.size() > kMostBytes; }
  void clear();

private:
  static constexpr std::size_t kSlots = 16384, kMost = kSlots / 2, kMostBytes = 1 << 22, kRecent = 64;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;
    bool used = false;
  };
  // A text that came from this address before; what is there now is compared with it.
  struct Recent {
    const char* at = nullptr;
    std::uint32_t number = 0;
  };
  std::string_view text(std::uint32_t number) const {
    return {m_texts.data() + m_ends[number], m_ends[number + 1] - m_ends[number]};
  }
  std::uint32_t lookUp(std::string_view text, bool& isNew);

  Recent m_recent[kRecent];
  std::vector<Slot> m_slots;
  std::string m_texts;                  // one behind the other
  std::vector<std::uint32_t> m_ends{0}; // text n is m_texts from m_ends[n] to m_ends[n + 1]
};

class ThreadLog {
public:
  ThreadLog() = default;
  ~ThreadLog() { release(); }
  ThreadLog(const ThreadLog&) = delete;
  ThreadLog& operator=(const ThreadLog&) = delete;

  // Makes this thread write to the recording of `generation`. False where no chunk can be had.
  bool attach(std::uint64_t generation);
  std::uint64_t generation() const { return m_generation; }

  void begin(std::int64_t time, const Channel& channel, std::string_view label, std::string_view metadata);
  void end(std::int64_t time);
  void endNamed(std::int64_t time, const Channel& channel, std::string_view label);
  void instant(std::int64_t time, const Channel& channel, std::string_view label, std::string_view metadata);
  void name(std::string_view name);
  void sample(std::int64_t time, std::uint32_t series, double value);
  void heatmapSample(std::int64_t time, std::uint32_t heatmap, const std::vector<std::uint32_t>& counts);

private:
  static constexpr std::size_t kRoom = format::kChunkBytes - sizeof(format::ChunkHeader);
  static constexpr std::size_t kKnownChannels = 4096; // later ones are looked up by their name

  // Room for a record of `bytes`; null where there is none, and one event counts as lost.
  char* reserve(std::size_t bytes) {
    if (!m_chunk || m_used + bytes > kRoom) return reserveInNextChunk();
    return reinterpret_cast<char*>(m_chunk + 1) + m_used;
  }
  char* reserveInNextChunk();
  void commit(std::size_t bytes) {
    m_used += std::uint32_t(bytes);
    // a reader in another process sees the record before it sees that it is there
    __atomic_store_n(&m_chunk->used, m_used, __ATOMIC_RELEASE);
  }
  bool nextChunk();
  void release();
  void clearStrings();
  std::uint32_t string(std::string_view text);
  std::uint32_t channelNumber(const Channel& channel);
  void pair(format::Kind kind, std::int64_t time, std::uint32_t first, std::uint32_t second);
  bool metadata(std::string_view json);
  void defineSeries(std::uint32_t number);
  void defineHeatmap(std::uint32_t number);

  std::uint64_t m_generation = 0;
  std::uint32_t m_thread = 0, m_sequence = 0;
  format::ChunkHeader* m_chunk = nullptr;
  std::uint32_t m_used = 0;
  StringNumbers m_strings;
  std::vector<std::uint32_t> m_channels;  // by Channel::id(): the number of its name + 1, 0 where it has none
  std::vector<bool> m_series, m_heatmaps; // defined by this thread
};

} // namespace tilescope_trace
