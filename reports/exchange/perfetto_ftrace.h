// The kernel's part of a Perfetto trace: marks that programs print (atrace), scheduling, processes and threads, frames of the display.
#pragma once

#include "reports/exchange/perfetto_rows.h"

#include <string>

namespace reports::exchange {

class PerfettoKernel {
public:
  PerfettoKernel(TraceAssembly& assembly, PerfettoRows& rows) : m_assembly(assembly), m_rows(rows) {}
  void addBundle(std::string_view bundle);             // FtraceEventBundle
  void addProcessTree(std::string_view tree);          // ProcessTree
  void addFrame(std::string_view frame, int64_t time); // FrameTimelineEvent
  // One mark: "B|12|name", "E", "C|12|name|3", "S|12|name|cookie", "F|…", "I|12|name".
  void addMark(std::string_view text, int64_t time, int64_t tid);
  void finish();

private:
  void addSwitch(int64_t cpu, int64_t time, int64_t nextPid, std::string_view nextName);
  void addCompactSwitches(int64_t cpu, std::string_view compact);
  struct Running {
    int64_t since = 0, pid = 0;
    uint32_t name = 0;
  };
  TraceAssembly& m_assembly;
  PerfettoRows& m_rows;
  std::map<int64_t, Running> m_running; // by CPU
  int64_t m_lastSwitch = 0;
};

} // namespace reports::exchange
