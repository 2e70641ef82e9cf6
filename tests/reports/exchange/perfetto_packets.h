// Perfetto traces written for a test, by the public schema's field numbers, and short descriptions of the imported rows.
#pragma once

#include "reports/exchange/proto_writer.h"
#include "tests/reports/exchange/imported.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tests::perfetto {

enum EventType { kBeginEvent = 1, kEndEvent = 2, kInstantEvent = 3, kCounterEvent = 4, kStateEvent = 5 };

// A message as a text of fields: {number, value}.
struct Field {
  Field(uint32_t n, int64_t v) : number(n), value(v) {}
  Field(uint32_t n, int v) : number(n), value(v) {}
  Field(uint32_t n, const std::string& b) : number(n), bytes(b), isBytes(true) {}
  Field(uint32_t n, const char* b) : number(n), bytes(b), isBytes(true) {}
  uint32_t number;
  int64_t value = 0;
  std::string bytes;
  bool isBytes = false;
};
inline std::string message(const std::vector<Field>& fields) {
  reports::exchange::ProtoWriter w;
  for (const Field& f : fields) f.isBytes ? w.bytes(f.number, f.bytes) : w.number(f.number, uint64_t(f.value));
  return w.message();
}

// Packets of one trace.
class Packets {
public:
  uint32_t sequence = 1, machine = 0;
  Packets& add(std::optional<int64_t> time, std::vector<Field> fields) {
    if (time) fields.insert(fields.begin(), Field(8, *time));
    fields.emplace_back(10, int64_t(sequence));
    if (machine) fields.emplace_back(98, int64_t(machine));
    m_bytes += message({Field(1, message(fields))});
    return *this;
  }
  Packets& describe(const std::vector<Field>& descriptor) { return add(0, {Field(60, message(descriptor))}); }
  Packets& thread(uint64_t uuid, int pid, int tid, const std::string& name) {
    return describe({{1, int64_t(uuid)}, {4, message({{1, pid}, {2, tid}, {5, name}})}});
  }
  Packets& event(int64_t time, EventType type, std::vector<Field> fields) {
    fields.emplace_back(9, int(type));
    return add(time, {Field(11, message(fields))});
  }
  Packets& slice(int64_t from, int64_t to, std::vector<Field> begin, std::vector<Field> end = {}) {
    for (const Field& f : begin)
      if (f.number == 11) end.push_back(f);
    event(from, kBeginEvent, std::move(begin));
    return event(to, kEndEvent, std::move(end));
  }
  Imported import() const { return importText(m_bytes, "a.pftrace", reports::exchange::TraceFormat::Perfetto); }

private:
  std::string m_bytes;
};

// "process/thread: name start+duration", in order of rows and times.
inline std::vector<std::string> shown(const Imported& trace) {
  std::map<int64_t, std::string> processes, tracks;
  for (const auto& row : trace.rows.rows<reports::HostProcessRow>()) processes[row.id] = row.name;
  for (const auto& row : trace.rows.rows<reports::HostThreadRow>())
    tracks[row.trackId] = processes[row.processId] + "/" + row.name;
  std::vector<std::string> lines;
  for (const auto& s : trace.slices())
    lines.push_back(fmt::format("{}: {} {}+{}", tracks[s.track], s.name, s.start, s.end - s.start));
  return lines;
}
inline nlohmann::json detailsOfSlice(const Imported& trace, const std::string& name) {
  for (const auto& s : trace.slices())
    if (s.name == name) return nlohmann::json::parse(s.details.empty() ? "{}" : s.details);
  return {};
}
inline std::map<std::string, std::vector<double>> counters(const Imported& trace) {
  std::map<int64_t, std::string> names;
  std::map<int64_t, std::string> processes;
  for (const auto& row : trace.rows.rows<reports::HostProcessRow>()) processes[row.id] = row.name;
  std::map<std::string, std::vector<double>> all;
  for (const auto& row : trace.rows.rows<reports::CounterSeriesRow>())
    names[row.id] = processes[row.processId.value_or(-1)] + "/" + row.graph;
  for (const auto& chunk : trace.rows.rows<reports::CounterChunkRow>())
    for (const reports::CounterSample& s : reports::decodeCounter(chunk)) all[names[chunk.seriesId]].push_back(s.value);
  return all;
}
inline std::string issues(const Imported& trace) {
  std::string all;
  for (const auto& row : trace.rows.rows<reports::ReportIssueRow>()) all += row.message + "\n";
  return all;
}

} // namespace tests::perfetto
