// The chunk into which one thread writes its records, and the numbers of the strings that it
// has defined. No locks: only the owning thread uses it. A lock is taken once per chunk, i.e.
// once in some thousands of events. A signal handler may record while its thread is in the
// middle of an event (or in malloc). Nothing here allocates after the first event of a thread,
// and an event that interrupts another one waits in DeferredEvents until that one is complete.
#pragma once

#include "reports/recording/recording_format.h"
#include "reports/recording/tilescope_trace.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope_trace {

// Numbers of strings, from 0. Bounded: if full(), call clear() and define all strings again.
class StringNumbers {
public:
  StringNumbers();
  // The number of `text`; `isNew` is set if it is new. Short texts (most
  // labels) are identified by two words and never compared byte by byte.
  std::uint32_t number(std::string_view wanted, bool& isNew) {
    if (wanted.size() <= kShort) return lookUp(wanted, shortKey(wanted), isNew);
    const auto address = reinterpret_cast<std::uintptr_t>(wanted.data());
    Recent& recent = m_recent[(address ^ address >> 6) % kRecent];
    if (recent.at == wanted.data() && text(recent.number) == wanted) {
      isNew = false;
      return recent.number;
    }
    recent = {wanted.data(), lookUp(wanted, longKey(wanted), isNew)};
    return recent.number;
  }
  bool full() const { return m_ends.size() > kMost || m_texts.size() > kMostBytes; }
  void clear();

private:
  static constexpr std::size_t kSlots = 16384, kMost = kSlots / 2, kMostBytes = 1 << 22, kRecent = 64, kShort = 16;
  // For a short text, its first and its last bytes, which overlap: with the size they equal the text. For a long one, its hash.
  struct Key {
    std::uint64_t first = 0, last = 0;
    bool operator==(const Key& other) const { return first == other.first && last == other.last; }
  };
  struct Slot {
    Key key;
    std::uint32_t size = 0;
    std::uint32_t next = 0; // number + 1; 0: the slot is free
  };
  template<typename Word> static Word load(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  static Key shortKey(std::string_view text) {
    const char* const at = text.data();
    const std::size_t size = text.size();
    if (size >= 8) return {load<std::uint64_t>(at), load<std::uint64_t>(at + size - 8)};
    if (size >= 4) return {load<std::uint32_t>(at), load<std::uint32_t>(at + size - 4)};
    if (size == 0) return {};
    const auto byte = [at](std::size_t i) { return std::uint64_t(static_cast<unsigned char>(at[i])); };
    return {byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16, 0};
  }
  static Key longKey(std::string_view text);
  // The last text at an address. The text there now is compared with it.
  struct Recent {
    const char* at = nullptr;
    std::uint32_t number = 0;
  };
  std::string_view text(std::uint32_t number) const {
    return {m_texts.data() + m_ends[number], m_ends[number + 1] - m_ends[number]};
  }
  std::uint32_t lookUp(std::string_view wanted, Key key, bool& isNew) {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ull;
    std::uint64_t hash = (key.first ^ (key.last << 23 | key.last >> 41) ^ wanted.size()) * kFactor;
    hash ^= hash >> 32;
    for (std::size_t at = hash % kSlots;; at = (at + 1) % kSlots) {
      const Slot& slot = m_slots[at];
      if (slot.next == 0) return add(wanted, key, at, isNew);
      if (slot.size != wanted.size() || !(slot.key == key)) continue;
      if (wanted.size() > kShort && text(slot.next - 1) != wanted) continue;
      isNew = false;
      return slot.next - 1;
    }
  }
  std::uint32_t add(std::string_view text, Key key, std::size_t slot, bool& isNew);

  Recent m_recent[kRecent];
  std::vector<Slot> m_slots;
  std::string m_texts;                  // all texts, without separators
  std::vector<std::uint32_t> m_ends{0}; // text n is m_texts from m_ends[n] to m_ends[n + 1]
};

// One call of the library, as plain values.
struct Event {
  format::Kind kind = format::Kind::Instant;
  const Channel* channel = nullptr;
  std::string_view label = {}, metadata = {};
  std::uint32_t number = 0; // of a series or heatmap
  double value = 0;
  const std::uint32_t* counts = nullptr; // of a heatmap's bins
  std::size_t countOfCounts = 0;
};

// Events that interrupted another one of the same thread, copied into preallocated memory. Written by signal handlers, which
// finish before the thread continues.
class DeferredEvents {
public:
  bool add(std::int64_t time, const Event& event); // false if it is full
  // Calls take(time, event) for each, including those added meanwhile.
  template<class Take> void drain(Take&& take) {
    while (m_taken != m_used) {
      Event event;
      const std::int64_t time = next(event);
      take(time, event);
    }
    m_taken = m_used = 0;
  }
  bool isEmpty() const { return m_taken == m_used; }

private:
  static constexpr std::size_t kRoom = 1 << 16;
  std::int64_t next(Event& event);
  volatile std::size_t m_used = 0, m_taken = 0;
  alignas(8) char m_bytes[kRoom];
};

class ThreadLog {
public:
  ThreadLog();
  ~ThreadLog() { release(); }
  ThreadLog(const ThreadLog&) = delete;
  ThreadLog& operator=(const ThreadLog&) = delete;

  // Makes this thread write to the recording of `generation`. False if no chunk is available.
  bool attach(std::uint64_t generation);
  std::uint64_t generation() const { return m_generation; }

  void write(std::int64_t time, const Event& event);
  DeferredEvents& deferred() { return m_deferred; }

private:
  void named(std::int64_t time, const Event& event);
  void end(std::int64_t time);
  void sample(std::int64_t time, std::uint32_t series, double value);
  void heatmapSample(std::int64_t time, const Event& event);

  static constexpr std::size_t kRoom = format::kChunkBytes - sizeof(format::ChunkHeader);
  static constexpr std::size_t kKnownChannels = 4096; // later ones are looked up by name

  // Space for a record of `bytes`; null if there is none, and one event counts as lost.
  char* reserve(std::size_t bytes) {
    if (!m_chunk || m_used + bytes > kRoom) return reserveInNextChunk();
    return reinterpret_cast<char*>(m_chunk + 1) + m_used;
  }
  char* reserveInNextChunk();
  void commit(std::size_t bytes) {
    m_used += std::uint32_t(bytes);
    // a reader in another process sees the record before its new size
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
  std::int64_t m_lastTime = 0; // a deferred event is older than the one that it interrupted
  std::uint32_t m_thread = 0, m_sequence = 0;
  format::ChunkHeader* m_chunk = nullptr;
  std::uint32_t m_used = 0;
  StringNumbers m_strings;
  std::vector<std::uint32_t> m_channels;  // by Channel::id(): the number of its name + 1, 0 if it has none
  std::vector<bool> m_series, m_heatmaps; // defined by this thread
  DeferredEvents m_deferred;
};

} // namespace tilescope_trace
