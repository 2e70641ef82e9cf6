// The call stacks that some Chrome traces carry beside their events: `samples` that refer to `stackFrames`.
#pragma once

#include "reports/exchange/json_scan.h"
#include "reports/exchange/trace_assembly.h"

#include <functional>
#include <string>

namespace reports::exchange {

class ChromeSamples {
public:
  void setFrames(std::string_view json) { m_frames = json; }
  void setSamples(std::string_view json) { m_samples = json; }
  // Adds a row of stacks for each thread that was sampled.
  void addTo(TraceAssembly& assembly, const std::function<std::size_t(const JsonToken& pid)>& processOf) const;

private:
  std::string m_frames, m_samples;
};

} // namespace reports::exchange
