// The processes of a Chrome trace, by pid. Pids are reused: a later name for the same pid means another process.
#pragma once

#include "reports/exchange/json_scan.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/trace_assembly.h"

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace reports::exchange {

class ChromeProcesses {
public:
  struct Process {
    struct Life {
      int64_t from = std::numeric_limits<int64_t>::min();
      std::optional<std::size_t> index; // in the assembly, after its first use
      std::string name;
    };
    std::vector<Life> lives; // in order of time
    std::string labels, defaultName;
    std::optional<int64_t> number, sortOrder, namedAt;
  };
  explicit ChromeProcesses(TraceAssembly& assembly) : m_assembly(assembly) {}
  // The process of a pid; fast if the previous event had the same pid, as most do. A missing pid differs from an empty one.
  Process& of(const JsonToken& pid);
  // The index of the process that had the pid at that time; without a time, the last one.
  std::size_t at(const JsonToken& pid, std::optional<int64_t> time);
  // Appends a key that is unique to a process.
  void appendKey(std::string& key, const JsonToken& pid, std::optional<int64_t> time);
  // Takes the name from a process_name event. Another name at a later time starts another process.
  void name(Process& process, const std::string& name, std::optional<int64_t> time);
  void nameThread(std::size_t track, const std::string& name);
  // The process of a sample. Without a pid, it is the process that has a thread with this tid, if only one process has.
  std::size_t ofThread(const JsonToken& pid, const JsonToken& tid);
  // A process or thread got another name at an unknown time, so only the last name is shown. Counts it.
  void noteRenamed(const std::string& before, const std::string& after);
  void finish(); // sets the names of the processes in the assembly

private:
  static std::size_t lifeAt(const Process& process, std::optional<int64_t> time);
  TraceAssembly& m_assembly;
  NameCache<Process> m_processes;
  Process* m_last = nullptr;
  std::string m_lastPid, m_key;
  bool m_lastHadPid = false;
  std::set<std::size_t> m_namedThreads;                   // tracks
  NameCache<std::optional<std::size_t>> m_onlyWithThread; // by tid
  std::vector<std::string> m_renamed;                     // the first few, for the issue
};

} // namespace reports::exchange
