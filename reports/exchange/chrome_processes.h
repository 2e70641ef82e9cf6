// The processes of a Chrome trace, by pid. Pids are reused: a later name for the same pid means another process.
#pragma once

#include "reports/exchange/json_scan.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/trace_assembly.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace reports::exchange {

class ChromeProcesses {
public:
  struct Process {
    struct Life {
      int64_t from = std::numeric_limits<int64_t>::min();
      std::optional<std::size_t> index; // in the assembly, once it is used
      std::string name;
    };
    std::vector<Life> lives; // in order of time
    std::string labels, defaultName;
    std::optional<int64_t> number, sortOrder, namedAt;
  };
  explicit ChromeProcesses(TraceAssembly& assembly) : m_assembly(assembly) {}
  // Most events have the same process as the event before, which is found fast. A missing pid differs from an empty one.
  Process& of(const JsonToken& pid);
  // The index of the process that had the pid at that time; without a time the last one.
  std::size_t at(const JsonToken& pid, std::optional<int64_t> time);
  // Appends what tells processes apart.
  void appendKey(std::string& key, const JsonToken& pid, std::optional<int64_t> time);
  // From a process_name. Another name at a later time begins another process.
  void name(Process& process, const std::string& name, std::optional<int64_t> time);
  void finish(); // gives the processes of the assembly their names

private:
  static std::size_t lifeAt(const Process& process, std::optional<int64_t> time);
  TraceAssembly& m_assembly;
  NameCache<Process> m_processes;
  Process* m_last = nullptr;
  std::string m_lastPid, m_key;
  bool m_lastHadPid = false;
};

} // namespace reports::exchange
