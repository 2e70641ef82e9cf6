#include "reports/exchange/perfetto_ftrace.h"

#include "reports/core/text.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/proto_fields.h"

#include <charconv>

namespace reports::exchange {

namespace {

// The parts of a mark between bars; the last one holds the rest.
std::vector<std::string_view> partsOf(std::string_view text, std::size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const std::size_t bar = text.find('|');
    if (bar == std::string_view::npos) break;
    parts.push_back(text.substr(0, bar));
    text.remove_prefix(bar + 1);
  }
  parts.push_back(text);
  return parts;
}

int64_t wholeIn(std::string_view text, int64_t otherwise) {
  int64_t v = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), v);
  return parsed.ec == std::errc() && parsed.ptr != text.data() ? v : otherwise;
}

} // namespace

void PerfettoKernel::addBundle(std::string_view bundle) {
  int64_t cpu = 0;
  forEachField(bundle, [&](const ProtoField& f) {
    if (f.number == 1 && !f.isBytes) cpu = f.sint();
    if (f.number == 3 && f.value) m_assembly.counts().mend(Mend::PacketsLost);
  });
  forEachField(bundle, [&](const ProtoField& f) {
    if (f.number == 4 && f.isBytes) return addCompactSwitches(cpu, f.bytes);
    if (f.number != 2 || !f.isBytes) return;
    int64_t time = 0, tid = 0;
    std::string_view print, change;
    bool known = false;
    forEachField(f.bytes, [&](const ProtoField& e) {
      if (e.number == 1 && !e.isBytes) time = e.sint();
      if (e.number == 2 && !e.isBytes) tid = int64_t(int32_t(e.value));
      if (e.number == 3 && e.isBytes) print = e.bytes, known = true;
      if (e.number == 4 && e.isBytes) change = e.bytes, known = true;
    });
    if (!known) m_assembly.counts().mend(Mend::PacketsNotShown);
    m_assembly.source().see(time);
    if (!print.empty())
      forEachField(print, [&](const ProtoField& e) {
        if (e.number == 2 && e.isBytes) addMark(e.bytes, time, tid);
      });
    if (!change.empty()) {
      int64_t next = 0;
      std::string_view name;
      forEachField(change, [&](const ProtoField& e) {
        if (e.number == 5 && e.isBytes) name = e.bytes;
        if (e.number == 6 && !e.isBytes) next = int64_t(int32_t(e.value));
      });
      addSwitch(cpu, time, next, name);
    }
  });
}

void PerfettoKernel::addMark(std::string_view text, int64_t time, int64_t tid) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.remove_suffix(1);
  if (text.empty()) return;
  const char kind = text.front();
  if (text.size() > 1 && text[1] != '|') return m_assembly.counts().mend(Mend::EventsOfUnknownKind);
  const auto parts = partsOf(text, kind == 'C' || kind == 'S' || kind == 'F' ? 4 : 3);
  const int64_t pid = parts.size() > 1 ? wholeIn(parts[1], -1) : -1;
  if (pid >= 0 && !m_rows.processOf(tid)) m_rows.setProcessOf(tid, pid);
  const std::string label = parts.size() > 2 ? validUtf8(parts[2]) : std::string("(no name)");
  const uint32_t name = m_assembly.string(label);
  const std::string cookie =
      label + '\x1f' + std::to_string(pid) + '\x1f' + (parts.size() > 3 ? std::string(parts[3]) : std::string());
  m_assembly.see(time, name);
  switch (kind) {
  case 'B': m_rows.thread(tid).stack.begin(time, name, m_assembly.channel("atrace"), {}, m_rows.nextOrder()); break;
  case 'E': m_rows.thread(tid).stack.end(time, {}); break;
  case 'I': m_rows.thread(tid).instants.push_back({time, name, m_assembly.channel("atrace"), InstantScope::Thread, -1}); break;
  case 'S': m_rows.beginAsync("mark" + cookie, pid, label, "async", time, name, {}); break;
  case 'F': m_rows.endAsync("mark" + cookie, time); break;
  case 'C': {
    JsonToken value;
    value.kind = JsonToken::Number;
    if (parts.size() > 3) value.text = parts[3];
    if (const auto real = realOf(value))
      m_rows.addCounter(pid, label, "", time, *real);
    else
      m_assembly.counts().mend(Mend::CounterValuesNotNumbers);
    break;
  }
  default: m_assembly.counts().mend(Mend::EventsOfUnknownKind);
  }
}

void PerfettoKernel::addSwitch(int64_t cpu, int64_t time, int64_t nextPid, std::string_view nextName) {
  Running& now = m_running[cpu];
  PerfettoRow& row = m_rows.cpu(cpu);
  if (now.pid != 0) row.slices.push_back({now.since, time, now.name, -1, 0, m_assembly.channel("scheduling"), 0});
  now = {time, nextPid, m_assembly.string(nextName.empty() ? "thread " + std::to_string(nextPid) : validUtf8(nextName))};
  m_assembly.source().see(time);
  m_lastSwitch = std::max(m_lastSwitch, time);
}

void PerfettoKernel::addCompactSwitches(int64_t cpu, std::string_view compact) {
  std::vector<std::string_view> names;
  std::vector<uint64_t> times, pids, indexes;
  forEachField(compact, [&](const ProtoField& f) {
    if (!f.isBytes) return;
    const auto into = [&](std::vector<uint64_t>& list) { forEachPacked(f.bytes, [&](uint64_t v) { list.push_back(v); }); };
    if (f.number == 5) names.push_back(f.bytes);
    if (f.number == 1) into(times);
    if (f.number == 3) into(pids);
    if (f.number == 6) into(indexes);
  });
  uint64_t time = 0;
  for (std::size_t i = 0; i < times.size() && i < pids.size(); ++i) {
    time += times[i];
    const std::size_t index = i < indexes.size() ? std::size_t(indexes[i]) : names.size();
    addSwitch(cpu, int64_t(time), int64_t(int32_t(pids[i])), index < names.size() ? names[index] : std::string_view());
  }
}

void PerfettoKernel::finish() {
  for (auto& [cpu, now] : m_running)
    if (now.pid != 0)
      m_rows.cpu(cpu).slices.push_back({now.since, m_lastSwitch, now.name, -1, 0, m_assembly.channel("scheduling"), 0});
}

void PerfettoKernel::addProcessTree(std::string_view tree) {
  forEachField(tree, [&](const ProtoField& f) {
    if (!f.isBytes) return;
    int64_t id = -1, group = -1;
    std::string name;
    forEachField(f.bytes, [&](const ProtoField& e) {
      if (e.number == 1 && !e.isBytes) id = int64_t(int32_t(e.value));
      if (f.number == 1 && e.number == 3 && e.isBytes && name.empty()) name = validUtf8(e.bytes); // cmdline
      if (f.number == 2 && e.number == 2 && e.isBytes) name = validUtf8(e.bytes);
      if (f.number == 2 && e.number == 3 && !e.isBytes) group = int64_t(int32_t(e.value));
    });
    if (f.number == 1) m_rows.nameProcess(id, name);
    if (f.number == 2) {
      m_rows.nameThread(id, group >= 0 ? std::optional(group) : std::nullopt, name);
      if (group >= 0) m_rows.setProcessOf(id, group);
    }
  });
}

void PerfettoKernel::addFrame(std::string_view frame, int64_t time) {
  static const char* const rows[] = {"", "expected display frames", "actual display frames", "expected frames", "actual frames"};
  forEachField(frame, [&](const ProtoField& part) {
    if (!part.isBytes || part.number < 1 || part.number > 5) return;
    int64_t cookie = 0, token = 0, pid = -1;
    std::string layer;
    const bool ofDisplay = part.number <= 2;
    forEachField(part.bytes, [&](const ProtoField& f) {
      if (f.number == 1) cookie = f.sint();
      if (f.number == 2) token = f.sint();
      if (f.number == (ofDisplay ? 3u : 4u) && !f.isBytes) pid = int64_t(int32_t(f.value));
      if (!ofDisplay && f.number == 5 && f.isBytes) layer = validUtf8(f.bytes);
    });
    const std::string key = "frame" + std::to_string(cookie);
    m_assembly.source().see(time);
    if (part.number == 5) return m_rows.endAsync(key, time);
    const std::string details = layer.empty() ? std::string() : R"({"token":)" + std::to_string(token) + "}";
    const uint32_t name = m_assembly.string(layer.empty() ? "frame " + std::to_string(token) : layer);
    m_rows.beginAsync(key, pid, rows[part.number], "frame", time, name, details);
  });
}

} // namespace reports::exchange
