// A sample that has run once with numbers, on a machine with few tiles: the contents of its variables, and the cycles of its
// vertices according to their formulas.
#pragma once

#include "simcore/run/engine.h"
#include "simcore/validation/sample_vertices.h"

#include <sstream>

namespace simcore::validation {

class SampleWorld {
public:
  using Settings = std::map<std::string, std::string>;
  SampleWorld(const std::string& sample, const Settings& settings, int tiles = 1);

  // The values of a variable after the run. Throws Error(NotFound) if the sample has no such variable.
  numerics::HostTensor values(const std::string& variable) const;
  // A library vertex without fields. Its cycles are those of the first vertices of the sample whose type or compute set has this
  // name.
  SampleVertex libraryVertex(const std::string& name, const std::string& source, const std::string& codelet) const;
  // The vertex number `vertex` of a user codelet, with the data of its fields, the results of its own function, and its own
  // estimate.
  SampleVertex userVertex(const std::string& codelet, const std::string& source, std::size_t vertex = 0) const;

private:
  std::string m_sample;
  std::ostringstream m_printed;
  graph::Workload m_load;
  compile::Executable m_executable;
  std::unique_ptr<run::Engine> m_engine;
};

} // namespace simcore::validation
