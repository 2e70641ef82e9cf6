// A sample that ran once with numbers, on a machine of few tiles: what its variables hold, and what its vertices cost by their formulas.
#pragma once

#include "simcore/run/engine.h"
#include "simcore/validation/sample_vertices.h"

#include <sstream>

namespace simcore::validation {

class SampleWorld {
public:
  using Settings = std::map<std::string, std::string>;
  SampleWorld(const std::string& sample, const Settings& settings, int tiles = 1);

  // The values of a variable, after the run. Throw Error(NotFound) for a name that the sample does not have.
  numerics::HostTensor values(const std::string& variable) const;
  // A library vertex: of the first run that the sample adds with this name of the type, or of the compute set. Without fields.
  SampleVertex libraryVertex(const std::string& name, const std::string& source, const std::string& codelet) const;
  // A user vertex with the data of its fields: what its function makes of them, and its own estimate. `vertex` counts those of
  // the codelet.
  SampleVertex userVertex(const std::string& codelet, const std::string& source, std::size_t vertex = 0) const;

private:
  std::string m_sample;
  std::ostringstream m_printed;
  graph::Workload m_load;
  compile::Executable m_executable;
  std::unique_ptr<run::Engine> m_engine;
};

} // namespace simcore::validation
