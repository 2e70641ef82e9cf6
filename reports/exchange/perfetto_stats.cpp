#include "reports/exchange/perfetto_stats.h"

#include "reports/core/text.h"
#include "reports/exchange/details_json.h"

#include <algorithm>
#include <array>
#include <span>

namespace reports::exchange {

namespace {

// From protos/perfetto/common/sys_stats_counters.proto, by number.
constexpr std::array kMemory{"",
                             "total",
                             "free",
                             "available",
                             "buffers",
                             "cached",
                             "swap cached",
                             "active",
                             "inactive",
                             "active anon",
                             "inactive anon",
                             "active file",
                             "inactive file",
                             "unevictable",
                             "mlocked",
                             "swap total",
                             "swap free",
                             "dirty",
                             "writeback",
                             "anon pages",
                             "mapped",
                             "shmem",
                             "slab",
                             "slab reclaimable",
                             "slab unreclaimable",
                             "kernel stack",
                             "page tables",
                             "commit limit",
                             "committed",
                             "vmalloc total",
                             "vmalloc used",
                             "vmalloc chunk",
                             "CMA total",
                             "CMA free"};

// A counter that is one field of a message.
struct FieldCounter {
  uint32_t field;
  const char *name, *unit;
};
// The counter of a field; null if the field is not a counter.
const FieldCounter* counterOf(const ProtoField& f, std::span<const FieldCounter> counters) {
  const auto found = std::find_if(counters.begin(), counters.end(), [&](const FieldCounter& c) { return c.field == f.number; });
  return found == counters.end() || f.isBytes ? nullptr : &*found;
}

std::string textIn(std::string_view message, uint32_t field) {
  std::string text;
  forEachField(message, [&](const ProtoField& f) {
    if (f.number == field && f.isBytes) text = validUtf8(f.bytes);
  });
  return text;
}
int64_t numberIn(std::string_view message, uint32_t field) {
  int64_t number = 0;
  forEachField(message, [&](const ProtoField& f) {
    if (f.number == field && !f.isBytes) number = f.sint();
  });
  return number;
}

} // namespace

void PerfettoStats::add(uint32_t machine, int64_t pid, const std::string& name, const char* unit, int64_t time, double value) {
  m_rows.addStatistic(machine, pid, name, unit, time, value);
}

void PerfettoStats::addSystem(std::string_view stats, int64_t time, uint32_t machine) {
  const int64_t host = m_rows.hostOf(machine);
  int cpu = 0, gpu = 0;
  forEachField(stats, [&](const ProtoField& f) {
    switch (f.number) {
    case 1: {
      const auto key = uint64_t(numberIn(f.bytes, 1));
      add(machine, host, "memory " + (key < kMemory.size() ? std::string(kMemory[key]) : "counter " + std::to_string(key)), "kB",
          time, double(numberIn(f.bytes, 2)));
      break;
    }
    case 2: add(machine, host, "vmstat " + std::to_string(numberIn(f.bytes, 1)), "", time, double(numberIn(f.bytes, 2))); break;
    case 3: {
      static constexpr std::array kTimes{"", "", "user", "user nice", "system", "idle", "I/O wait", "irq", "softirq", "steal"};
      const std::string name = "CPU " + std::to_string(numberIn(f.bytes, 1)) + " ";
      forEachField(f.bytes, [&](const ProtoField& t) {
        if (t.number >= 2 && t.number < kTimes.size()) add(machine, host, name + kTimes[t.number], "ns", time, double(t.value));
      });
      break;
    }
    case 4: add(machine, host, "forks", "", time, double(f.value)); break;
    case 5: add(machine, host, "interrupts", "", time, double(f.value)); break;
    case 7: add(machine, host, "softirqs", "", time, double(f.value)); break;
    case 6:
    case 8:
      add(machine, host, (f.number == 6 ? "irq " : "softirq ") + std::to_string(int32_t(numberIn(f.bytes, 1))), "", time,
          double(numberIn(f.bytes, 2)));
      break;
    case 10: add(machine, host, "device frequency " + textIn(f.bytes, 1), "kHz", time, double(numberIn(f.bytes, 2))); break;
    case 11:
    case 17: {
      const auto one = [&](uint64_t v) {
        int& n = f.number == 11 ? cpu : gpu;
        add(machine, host, (f.number == 11 ? "CPU " : "GPU ") + std::to_string(n++) + " frequency",
            f.number == 11 ? "kHz" : "MHz", time, double(v));
      };
      f.isBytes ? forEachPacked(f.bytes, one) : one(f.value);
      break;
    }
    case 13: {
      static constexpr std::array kDisk{"",
                                        "",
                                        "read sectors",
                                        "read time (ms)",
                                        "written sectors",
                                        "write time (ms)",
                                        "discarded sectors",
                                        "discard time (ms)",
                                        "flushes",
                                        "flush time (ms)"};
      const std::string name = "disk " + textIn(f.bytes, 1) + " ";
      forEachField(f.bytes, [&](const ProtoField& d) {
        if (d.number >= 2 && d.number < kDisk.size()) add(machine, host, name + kDisk[d.number], "", time, double(d.value));
      });
      break;
    }
    case 14: {
      static constexpr std::array kPressure{"", "CPU some", "CPU full", "I/O some", "I/O full", "memory some", "memory full"};
      const auto kind = uint64_t(numberIn(f.bytes, 1));
      if (kind > 0 && kind < kPressure.size())
        add(machine, host, std::string("pressure ") + kPressure[kind], "ns", time, double(numberIn(f.bytes, 2)));
      break;
    }
    case 15: add(machine, host, "temperature " + textIn(f.bytes, 1), "", time, double(numberIn(f.bytes, 2))); break;
    case 9: break; // time of collection
    default: m_assembly.counts().mend(Mend::EventFieldsNotShown); ++m_fields["sys_stats field " + std::to_string(f.number)];
    }
  });
}

void PerfettoStats::addProcesses(std::string_view stats, int64_t time, uint32_t machine) {
  static constexpr std::array kCounters{FieldCounter{2, "virtual memory", "kB"},     FieldCounter{3, "RSS", "kB"},
                                        FieldCounter{4, "RSS anon", "kB"},           FieldCounter{5, "RSS file", "kB"},
                                        FieldCounter{6, "RSS shmem", "kB"},          FieldCounter{7, "swap", "kB"},
                                        FieldCounter{8, "locked memory", "kB"},      FieldCounter{9, "RSS peak", "kB"},
                                        FieldCounter{10, "OOM score", ""},           FieldCounter{13, "private footprint", "kB"},
                                        FieldCounter{14, "resident set peak", "kB"}, FieldCounter{16, "smaps RSS", "kB"},
                                        FieldCounter{17, "smaps PSS", "kB"},         FieldCounter{18, "smaps PSS anon", "kB"},
                                        FieldCounter{19, "smaps PSS file", "kB"},    FieldCounter{20, "smaps PSS shmem", "kB"},
                                        FieldCounter{21, "user time", ""},           FieldCounter{22, "kernel time", ""},
                                        FieldCounter{23, "smaps swap PSS", "kB"},    FieldCounter{24, "dma-buf RSS", "kB"}};
  forEachField(stats, [&](const ProtoField& f) {
    if (f.number != 1 || !f.isBytes) return;
    const int64_t pid = m_rows.onMachine(int64_t(int32_t(numberIn(f.bytes, 1))), machine);
    forEachField(f.bytes, [&](const ProtoField& n) {
      const FieldCounter* known = counterOf(n, kCounters);
      if (known) add(machine, pid, known->name, known->unit, time, double(n.sint()));
    });
  });
}

void PerfettoStats::addBattery(std::string_view battery, int64_t time, uint32_t machine) {
  static constexpr std::array kCounters{
      FieldCounter{1, "battery charge", "µAh"}, FieldCounter{2, "battery capacity", "%"},
      FieldCounter{3, "battery current", "µA"}, FieldCounter{4, "battery current (average)", "µA"},
      FieldCounter{6, "battery energy", "µWh"}, FieldCounter{7, "battery voltage", "µV"}};
  forEachField(battery, [&](const ProtoField& f) {
    const FieldCounter* known = counterOf(f, kCounters);
    if (!known) return;
    double value = double(f.sint());
    if (f.number == 2) { // a float
      const auto bits = uint32_t(f.value);
      value = double(std::bit_cast<float>(bits));
    }
    add(machine, m_rows.hostOf(machine), known->name, known->unit, time, value);
  });
}

// The name that the writer gave. If it gave none, the name that other writers of its machine gave, if they agree.
std::string PerfettoStats::gpuName(const PerfettoSequence& sequence,
                                   const std::function<std::string(const GpuNames&)>& nameIn) const {
  if (const auto own = m_gpuNames.find({sequence.machine, sequence.number}); own != m_gpuNames.end())
    if (std::string name = nameIn(own->second); !name.empty()) return name;
  std::string name;
  for (auto other = m_gpuNames.lower_bound({sequence.machine, 0});
       other != m_gpuNames.end() && other->first.first == sequence.machine; ++other) {
    const std::string found = nameIn(other->second);
    if (!found.empty() && !name.empty() && found != name) return {};
    if (!found.empty()) name = found;
  }
  return name;
}

void PerfettoStats::addGpuCounters(std::string_view event, int64_t time, const PerfettoSequence& sequence) {
  const int64_t gpu = numberIn(event, 3);
  GpuNames& names = m_gpuNames[{sequence.machine, sequence.number}];
  const auto describe = [&](std::string_view descriptor) {
    forEachField(descriptor, [&](const ProtoField& spec) {
      if (spec.number == 1 && spec.isBytes) names.counters[{gpu, uint64_t(numberIn(spec.bytes, 1))}] = textIn(spec.bytes, 2);
    });
  };
  forEachField(event, [&](const ProtoField& f) {
    if (f.number == 1 && f.isBytes) describe(f.bytes);
    if (f.number == 4 && !f.isBytes)
      if (const auto found = sequence.gpuCounters.find(f.value); found != sequence.gpuCounters.end()) describe(found->second);
  });
  forEachField(event, [&](const ProtoField& f) {
    if (f.number != 2 || !f.isBytes) return;
    uint64_t id = 0;
    std::optional<double> value;
    forEachField(f.bytes, [&](const ProtoField& c) {
      if (c.number == 1) id = c.value;
      if (c.number == 2) value = double(c.sint());
      if (c.number == 3) value = c.real();
    });
    if (!value) return m_assembly.counts().mend(Mend::CounterValuesNotNumbers);
    std::string name = gpuName(sequence, [&](const GpuNames& of) {
      const auto known = of.counters.find({gpu, id});
      return known == of.counters.end() ? std::string() : known->second;
    });
    if (name.empty()) name = "counter " + std::to_string(id);
    add(sequence.machine, m_rows.hostOf(sequence.machine), "GPU " + std::to_string(gpu) + " " + name, "", time, *value);
  });
}

void PerfettoStats::addRenderStage(std::string_view event, int64_t time, const PerfettoSequence& sequence) {
  uint64_t duration = 0, gpu = 0, queue = 0, stage = 0, queueIid = 0, stageIid = 0, context = 0;
  bool hasDuration = false;
  std::string name, details;
  GpuNames& names = m_gpuNames[{sequence.machine, sequence.number}];
  forEachField(event, [&](const ProtoField& f) {
    switch (f.number) {
    case 2: duration = f.value, hasDuration = true; break;
    case 3: queue = f.value; break;
    case 4: stage = f.value; break;
    case 5: context = f.value; break;
    case 6: addMember(details, textIn(f.bytes, 1), quotedJson(textIn(f.bytes, 2))); break;
    case 7: // specifications: names of queues and stages by index
      forEachField(f.bytes, [&](const ProtoField& s) {
        if (s.number == 2 && s.isBytes) names.queues.push_back(textIn(s.bytes, 1));
        if (s.number == 3 && s.isBytes) names.stages.push_back(textIn(s.bytes, 1));
      });
      break;
    case 8: addMember(details, "render_target", std::to_string(f.value)); break;
    case 9: addMember(details, "render_pass", std::to_string(f.value)); break;
    case 10: addMember(details, "submission_id", std::to_string(uint32_t(f.value))); break;
    case 11: gpu = f.value; break;
    case 12: addMember(details, "command_buffer", std::to_string(f.value)); break;
    case 13: queueIid = f.value; break;
    case 14: stageIid = f.value; break;
    case 17: name = validUtf8(f.bytes); break;
    default: break;
    }
  });
  const auto interned = [&](uint64_t iid) {
    const auto found = sequence.gpuStages.find(iid);
    return found == sequence.gpuStages.end() ? std::string() : found->second;
  };
  const auto listed = [&](std::vector<std::string> GpuNames::*list, uint64_t index) {
    return gpuName(sequence, [&](const GpuNames& of) { return index < (of.*list).size() ? (of.*list)[index] : std::string(); });
  };
  if (!hasDuration && name.empty() && stageIid == 0 && stage == 0) return; // the event has only specifications
  std::string lane = queueIid ? interned(queueIid) : listed(&GpuNames::queues, queue);
  if (lane.empty()) lane = "queue " + std::to_string(queueIid ? queueIid : queue);
  if (name.empty()) name = stageIid ? interned(stageIid) : listed(&GpuNames::stages, stage);
  if (name.empty()) name = "stage " + std::to_string(stageIid ? stageIid : stage);
  if (const auto of = sequence.graphicsContexts.find(context); of != sequence.graphicsContexts.end())
    addMember(details, "pid", std::to_string(of->second));
  PerfettoRow& row = m_queues[{sequence.machine, int64_t(gpu), lane}];
  row.isEmpty = false;
  const uint32_t id = m_assembly.string(name);
  m_assembly.see(time, id);
  const int64_t end = time + int64_t(std::min<uint64_t>(duration, uint64_t(1) << 60));
  m_assembly.source().see(end);
  row.slices.push_back({time, end, id, m_assembly.details(details), m_rows.nextOrder(), m_assembly.channel("GPU"), 0});
}

void PerfettoStats::addGpuMemory(std::string_view event, int64_t time, uint32_t machine) {
  const auto pid = int64_t(int32_t(numberIn(event, 2)));
  const std::string name = "GPU " + std::to_string(numberIn(event, 1)) + " memory";
  const int64_t host = m_rows.hostOf(machine);
  add(machine, pid == 0 ? host : m_rows.onMachine(pid, machine), name, "byte", time, double(numberIn(event, 3)));
}

void PerfettoStats::addGenericFrequency(std::string_view event, int64_t time, uint32_t machine) {
  const int64_t host = m_rows.hostOf(machine);
  add(machine, host, "CPU " + std::to_string(int32_t(numberIn(event, 1))) + " frequency", "Hz", time, double(numberIn(event, 2)));
}

void PerfettoStats::finish() {
  for (auto& [queue, row] : m_queues) {
    const auto& [machine, gpu, lane] = queue;
    m_rows.makeRow(row, {m_rows.hostOf(machine), "GPU " + std::to_string(gpu) + " > " + lane, "track"});
  }
}

} // namespace reports::exchange
