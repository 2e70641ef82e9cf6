// JavaScript CPU profiles in V8's format: a tree of functions, and samples with the microseconds since the previous one. A
// profile is a file (*.cpuprofile), or its pieces are events of a Chrome trace (Profile, ProfileChunk). Format:
// https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/trace_assembly.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace reports::exchange {

class CpuProfile {
public:
  explicit CpuProfile(TraceAssembly& assembly) : m_assembly(assembly) {}
  // Reads an object with nodes (or head, a tree), samples and timeDeltas (or timestamps), startTime and endTime; any of them may
  // be missing. Samples without times share the time from start to end equally. Without samples, each node gets as many samples
  // as its hitCount says.
  void add(std::string_view json);
  void setStart(const JsonToken& microseconds);
  bool isEmpty() const { return m_samples.empty() && m_hits.empty(); }
  // Adds the stacks as slices of a track that has no other slices. `counted`: see StackTimeline.
  void addTo(std::size_t track, bool counted);

private:
  static constexpr int64_t kNoNode = -1;
  struct Node {
    uint32_t name = 0;
    int32_t details = -1;
    int64_t parent = kNoNode;
    bool isRoot = false;
  };
  void addNode(std::string_view json, std::optional<int64_t> parent);
  void addTree(std::string_view head);
  void cutCircles();
  void takeHitsAsSamples();
  void shareTime();
  TraceAssembly& m_assembly;
  std::unordered_map<int64_t, Node> m_nodes;
  std::vector<int64_t> m_samples;                  // nodes
  std::vector<std::pair<int64_t, int64_t>> m_hits; // node, hitCount
  std::vector<int64_t> m_times;                    // nanoseconds since the previous sample; absolute if m_areAbsolute
  bool m_areAbsolute = false;
  std::optional<int64_t> m_start, m_end; // nanoseconds
};

// Whether the beginning of a text is such a file.
bool looksLikeCpuProfile(std::string_view head);
void readCpuProfile(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
