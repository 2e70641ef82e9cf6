// Numbers that Perfetto polls: memory and time of the system and of processes, GPU counters, and the work of GPUs.
#pragma once

#include "reports/exchange/perfetto_rows.h"
#include "reports/exchange/perfetto_sequence.h"

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace reports::exchange {

class PerfettoStats {
public:
  PerfettoStats(TraceAssembly& assembly, PerfettoRows& rows) : m_assembly(assembly), m_rows(rows) {}
  void addSystem(std::string_view stats, int64_t time, uint32_t machine);    // SysStats
  void addProcesses(std::string_view stats, int64_t time, uint32_t machine); // ProcessStats
  void addBattery(std::string_view battery, int64_t time, uint32_t machine); // BatteryCounters
  void addGpuCounters(std::string_view event, int64_t time, const PerfettoSequence& sequence);
  void addRenderStage(std::string_view event, int64_t time, const PerfettoSequence& sequence);
  void addGpuMemory(std::string_view event, int64_t time, uint32_t machine); // GpuMemTotalEvent
  void addGenericFrequency(std::string_view event, int64_t time, uint32_t machine);
  void finish();
  const std::map<std::string, int64_t>& fieldsNotShown() const { return m_fields; }

private:
  void add(uint32_t machine, int64_t pid, const std::string& name, const char* unit, int64_t time, double value);
  std::map<std::string, int64_t> m_fields; // fields that are not shown, with their counts
  TraceAssembly& m_assembly;
  PerfettoRows& m_rows;
  // Names of GPU counters, queues and stages. Their numbers are valid only for one writer.
  struct GpuNames {
    std::map<std::pair<int64_t, uint64_t>, std::string> counters; // by GPU and counter
    std::vector<std::string> queues, stages;                      // by index, as older traces give them
  };
  using Writer = std::pair<uint32_t, uint32_t>; // machine and number
  std::string gpuName(const PerfettoSequence& sequence, const std::function<std::string(const GpuNames&)>& nameIn) const;
  std::map<Writer, GpuNames> m_gpuNames;
  std::map<std::tuple<uint32_t, int64_t, std::string>, PerfettoRow> m_queues; // by machine, GPU and name
};

} // namespace reports::exchange
