// The call stacks of some Chrome traces: `samples` that refer to `stackFrames`. Events may refer to `stackFrames`, too.
#pragma once

#include "reports/exchange/json_scan.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/trace_assembly.h"

#include <functional>
#include <optional>
#include <string>

namespace reports::exchange {

class ChromeSamples {
public:
  void setFrames(std::string_view json);
  void setSamples(std::string_view json) { m_samples = json; }
  bool hasFrames() const { return !m_frames.empty(); }
  // The names of a stack as a JSON list, the outermost first; nothing if the file does not describe it.
  std::optional<std::string> stackJson(const std::string& id, ImportCounts& counts) const;
  // Adds a row of stacks for each sampled thread and event. `processOf` gives the process of a sample, which may lack the pid.
  using ProcessOf = std::function<std::size_t(const JsonToken& pid, const JsonToken& tid)>;
  void addTo(TraceAssembly& assembly, const ProcessOf& processOf) const;

private:
  struct Frame {
    std::string name, parent;
  };
  std::vector<const Frame*> stackOf(std::string_view leaf, ImportCounts& counts) const; // the outermost first
  std::unordered_map<std::string, Frame, TextHash, std::equal_to<>> m_frames;
  std::string m_samples;
};

} // namespace reports::exchange
