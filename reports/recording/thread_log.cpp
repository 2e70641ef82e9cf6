#include "reports/recording/thread_log.h"

#include "reports/recording/recording_file.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace tilescope_trace {

using format::Kind;

namespace {

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

void put(char*& at, const void* from, std::size_t bytes) {
  std::memcpy(at, from, bytes);
  at += bytes;
}

void putWord(char*& at, Kind kind, std::int64_t time) {
  const std::uint64_t word = (std::uint64_t(time) << 8) | std::uint64_t(kind);
  put(at, &word, sizeof word);
}

void putNumber(char*& at, std::uint32_t number) { put(at, &number, sizeof number); }

} // namespace

// ---- Strings ----

// Reserves its full size at once: unused pages take no memory.
StringNumbers::StringNumbers() : m_slots(kSlots) {
  m_texts.reserve(kMostBytes + format::kMostStringBytes + 1);
  m_ends.reserve(kMost + 2);
}

// Mixes eight bytes at a time.
StringNumbers::Key StringNumbers::longKey(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ull;
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at + 8 < text.size(); at += 8) {
    hash = (hash ^ load<std::uint64_t>(text.data() + at)) * kFactor;
    hash ^= hash >> 29;
  }
  return {hash, load<std::uint64_t>(text.data() + text.size() - 8)};
}

std::uint32_t StringNumbers::add(std::string_view text, Key key, std::size_t slot, bool& isNew) {
  isNew = true;
  const auto number = std::uint32_t(m_ends.size() - 1);
  m_slots[slot] = {key, std::uint32_t(text.size()), number + 1};
  m_texts.append(text);
  m_ends.push_back(std::uint32_t(m_texts.size()));
  return number;
}

void StringNumbers::clear() {
  m_slots.assign(kSlots, {});
  m_texts.clear();
  m_ends.assign(1, 0);
  std::fill(std::begin(m_recent), std::end(m_recent), Recent{});
}

// ---- Events that wait ----

namespace {
struct Deferred {
  std::int64_t time = 0;
  Event event; // followed in memory by its texts and counts
  std::size_t bytes = 0;
};
} // namespace

bool DeferredEvents::add(std::int64_t time, const Event& event) {
  const std::string_view label = event.label.substr(0, format::kMostStringBytes);
  const std::string_view metadata = event.metadata.substr(0, format::kMostStringBytes);
  const std::size_t counts = event.countOfCounts * sizeof *event.counts;
  const std::size_t bytes = padded(sizeof(Deferred) + counts + label.size() + metadata.size());
  const std::size_t from = m_used;
  if (bytes > kRoom - from) return false;
  char* at = m_bytes + from;
  auto* deferred = new (at) Deferred{time, event, bytes};
  at += sizeof(Deferred);
  deferred->event.counts = reinterpret_cast<const std::uint32_t*>(at);
  if (counts > 0) put(at, event.counts, counts);
  deferred->event.label = {at, label.size()};
  if (!label.empty()) put(at, label.data(), label.size());
  deferred->event.metadata = {at, metadata.size()};
  if (!metadata.empty()) put(at, metadata.data(), metadata.size());
  m_used = from + bytes;
  return true;
}

std::int64_t DeferredEvents::next(Event& event) {
  const auto* deferred = reinterpret_cast<const Deferred*>(m_bytes + m_taken);
  event = deferred->event;
  m_taken = m_taken + deferred->bytes;
  return deferred->time;
}

// ---- Chunks ----

ThreadLog::ThreadLog() {
  constexpr std::size_t kKnownNumbers = 4096; // reserved here; larger numbers allocate memory later
  m_channels.reserve(kKnownChannels);
  m_series.reserve(kKnownNumbers);
  m_heatmaps.reserve(kKnownNumbers);
}

bool ThreadLog::attach(std::uint64_t generation) {
  release();
  m_generation = generation;
  m_thread = recordingFile().newThread();
  m_sequence = 0;
  m_lastTime = 0;
  clearStrings();
  m_series.clear();
  m_heatmaps.clear();
  return nextChunk();
}

void ThreadLog::release() {
  if (m_chunk) RecordingFile::unmap(m_chunk);
  m_chunk = nullptr;
}

bool ThreadLog::nextChunk() {
  release();
  m_chunk = recordingFile().newChunk(m_generation, m_thread, m_sequence);
  m_used = 0;
  if (m_chunk) ++m_sequence;
  return m_chunk != nullptr;
}

char* ThreadLog::reserveInNextChunk() {
  if (m_chunk && nextChunk()) return reinterpret_cast<char*>(m_chunk + 1);
  recordingFile().lose();
  return nullptr;
}

void ThreadLog::clearStrings() {
  m_strings.clear();
  m_channels.clear();
}

std::uint32_t ThreadLog::string(std::string_view text) {
  text = text.substr(0, format::kMostStringBytes);
  if (m_strings.full()) clearStrings();
  bool isNew = false;
  const std::uint32_t number = m_strings.number(text, isNew);
  if (!isNew) return number;
  const std::size_t bytes = 16 + padded(text.size());
  if (char* at = reserve(bytes)) {
    putWord(at, Kind::String, 0);
    putNumber(at, number);
    putNumber(at, std::uint32_t(text.size()));
    put(at, text.data(), text.size());
    commit(bytes);
  }
  return number;
}

std::uint32_t ThreadLog::channelNumber(const Channel& channel) {
  const std::size_t id = channel.id();
  if (id < m_channels.size() && m_channels[id] > 0) return m_channels[id] - 1;
  const std::uint32_t number = string(channel.name());
  if (id < kKnownChannels) {
    if (id >= m_channels.size()) m_channels.resize(id + 1);
    m_channels[id] = number + 1;
  }
  return number;
}

void ThreadLog::pair(Kind kind, std::int64_t time, std::uint32_t first, std::uint32_t second) {
  char* at = reserve(16);
  if (!at) return;
  putWord(at, kind, time);
  putNumber(at, first);
  putNumber(at, second);
  commit(16);
}

bool ThreadLog::metadata(std::string_view json) {
  if (json.empty()) return true;
  json = json.substr(0, format::kMostStringBytes);
  const std::size_t bytes = 16 + padded(json.size());
  char* at = reserve(bytes);
  if (!at) return false;
  putWord(at, Kind::Metadata, 0);
  putNumber(at, std::uint32_t(json.size()));
  putNumber(at, 0);
  put(at, json.data(), json.size());
  commit(bytes);
  return true;
}

// ---- Events ----

void ThreadLog::write(std::int64_t time, const Event& event) {
  if (time < m_lastTime) time = m_lastTime;
  m_lastTime = time;
  switch (event.kind) {
  case Kind::End: return end(time);
  case Kind::Sample: return sample(time, event.number, event.value);
  case Kind::HeatmapSample: return heatmapSample(time, event);
  case Kind::ThreadName: return pair(Kind::ThreadName, 0, string(event.label), 0);
  default: return named(time, event);
  }
}

void ThreadLog::named(std::int64_t time, const Event& event) {
  const std::uint32_t name = string(event.label);
  pair(event.kind, time, name, channelNumber(*event.channel));
  metadata(event.metadata);
}

void ThreadLog::end(std::int64_t time) {
  char* at = reserve(8);
  if (!at) return;
  putWord(at, Kind::End, time);
  commit(8);
}

void ThreadLog::defineSeries(std::uint32_t number) {
  if (number < m_series.size() && m_series[number]) return;
  m_series.resize(std::max<std::size_t>(m_series.size(), number + 1));
  m_series[number] = true;
  const SeriesName name = recordingFile().series(number);
  const std::uint32_t graph = string(name.graph), unit = string(name.unit), series = string(name.series);
  char* at = reserve(24);
  if (!at) return;
  putWord(at, Kind::Series, 0);
  for (const std::uint32_t part : {number, graph, unit, series}) putNumber(at, part);
  commit(24);
}

void ThreadLog::sample(std::int64_t time, std::uint32_t series, double value) {
  defineSeries(series);
  char* at = reserve(24);
  if (!at) return;
  putWord(at, Kind::Sample, time);
  putNumber(at, series);
  putNumber(at, 0);
  put(at, &value, sizeof value);
  commit(24);
}

void ThreadLog::defineHeatmap(std::uint32_t number) {
  if (number < m_heatmaps.size() && m_heatmaps[number]) return;
  m_heatmaps.resize(std::max<std::size_t>(m_heatmaps.size(), number + 1));
  m_heatmaps[number] = true;
  const HeatmapName heatmap = recordingFile().heatmap(number);
  const std::uint32_t name = string(heatmap.name), unit = string(heatmap.unit);
  const std::size_t bytes = 24 + heatmap.edges.size() * sizeof(double);
  char* at = reserve(bytes);
  if (!at) return;
  putWord(at, Kind::Heatmap, 0);
  for (const std::uint32_t part : {number, std::uint32_t(heatmap.edges.size()), name, unit}) putNumber(at, part);
  put(at, heatmap.edges.data(), heatmap.edges.size() * sizeof(double));
  commit(bytes);
}

void ThreadLog::heatmapSample(std::int64_t time, const Event& event) {
  defineHeatmap(event.number);
  const std::size_t bytes = 16 + padded(event.countOfCounts * 4);
  char* at = reserve(bytes);
  if (!at) return;
  putWord(at, Kind::HeatmapSample, time);
  putNumber(at, event.number);
  putNumber(at, std::uint32_t(event.countOfCounts));
  put(at, event.counts, event.countOfCounts * 4);
  commit(bytes);
}

} // namespace tilescope_trace
