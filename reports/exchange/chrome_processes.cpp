#include "reports/exchange/chrome_processes.h"

#include "reports/core/join.h"
#include "reports/core/text.h"

#include <algorithm>

namespace reports::exchange {

ChromeProcesses::Process& ChromeProcesses::of(const JsonToken& pid) {
  if (m_last && bool(pid) == m_lastHadPid && pid.text == m_lastPid) return *m_last;
  m_lastHadPid = bool(pid);
  m_lastPid.assign(pid.text);
  m_key.assign(pid ? "p" : "");
  m_key += pid.text;
  m_last = const_cast<Process*>(&m_processes.get(m_key, [&] {
    Process process;
    process.number = wholeOf(pid);
    process.defaultName = !pid ? "no process" : process.number ? "process " + std::to_string(*process.number) : textOf(pid);
    if (process.defaultName.empty()) process.defaultName = "(empty name)";
    process.lives.emplace_back();
    process.lives[0].index = m_assembly.addProcess(process.defaultName, process.number);
    m_assembly.counts().processes += bool(pid);
    return process;
  }));
  return *m_last;
}

std::size_t ChromeProcesses::lifeAt(const Process& process, std::optional<int64_t> time) {
  std::size_t life = process.lives.size() - 1;
  while (time && life > 0 && process.lives[life].from > *time) --life;
  return life;
}

std::size_t ChromeProcesses::at(const JsonToken& pid, std::optional<int64_t> time) {
  Process& process = of(pid);
  Process::Life& life = process.lives[lifeAt(process, time)];
  if (!life.index) {
    life.index = m_assembly.addProcess(process.defaultName, process.number);
    ++m_assembly.counts().processes;
    m_assembly.counts().mend(Mend::PidsUsedAgain);
  }
  return *life.index;
}

void ChromeProcesses::appendKey(std::string& key, const JsonToken& pid, std::optional<int64_t> time) {
  key += pid ? "p" : "";
  key += pid.text;
  if (const auto life = lifeAt(of(pid), time)) key += "\x1flife" + std::to_string(life);
}

void ChromeProcesses::name(Process& process, const std::string& name, std::optional<int64_t> time) {
  const std::string before = process.lives.back().name;
  const bool isAnother = !before.empty() && before != name && time && process.namedAt && *time > *process.namedAt;
  if (isAnother) process.lives.push_back({*time, {}, {}});
  if (time) process.namedAt = std::max(process.namedAt.value_or(*time), *time);
  std::string& now = process.lives[isAnother ? process.lives.size() - 1 : lifeAt(process, time)].name;
  if (!now.empty() && now != name) noteRenamed(now, name);
  now = name;
}

void ChromeProcesses::nameThread(std::size_t track, const std::string& name) {
  std::string& now = m_assembly.tracks()[track].name;
  if (!m_namedThreads.insert(track).second && now != name) noteRenamed(now, name);
  now = name;
}

std::size_t ChromeProcesses::ofThread(const JsonToken& pid, const JsonToken& tid) {
  if (pid) return at(pid, std::nullopt);
  const auto only = m_onlyWithThread.get(tid.text, [&]() -> std::optional<std::size_t> {
    std::set<std::size_t> all;
    if (const auto number = wholeOf(tid))
      for (const TraceTrack& track : m_assembly.tracks())
        if (track.tid == number && m_assembly.processes()[track.process].source + 1 == m_assembly.sources().size())
          all.insert(track.process);
    return all.size() == 1 ? std::optional(*all.begin()) : std::nullopt;
  });
  if (only) return *only;
  m_assembly.counts().mend(Mend::EventsWithoutProcess);
  return at(pid, std::nullopt);
}

void ChromeProcesses::noteRenamed(const std::string& before, const std::string& after) {
  constexpr std::size_t kMostSaid = 8;
  m_assembly.counts().mend(Mend::NamesReplaced);
  if (m_renamed.size() < kMostSaid) m_renamed.push_back(displayText(before, 60) + " is now " + displayText(after, 60));
}

void ChromeProcesses::finish() {
  if (!m_renamed.empty())
    m_assembly.sink().add(ReportIssueRow{
        0, "notice", m_assembly.source().name, "names that were replaced: " + joined(m_renamed, [](const auto& r) { return r; }),
        "if these are other processes with the same number, give the metadata event a time (ts)", int64_t(m_renamed.size())});
  for (auto& [key, process] : m_processes)
    for (const Process::Life& life : process.lives) {
      if (!life.index) continue;
      TraceProcess& out = m_assembly.processes()[*life.index];
      out.name = life.name.empty() ? process.defaultName : life.name;
      out.sortOrder = process.sortOrder;
      if (!process.labels.empty()) out.name += " (" + process.labels + ")";
    }
}

} // namespace reports::exchange
