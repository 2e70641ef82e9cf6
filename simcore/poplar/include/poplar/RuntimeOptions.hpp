// Poplar's header of options for running an engine: here they have no effect, and Engine names each once.
#pragma once

#include "poplar/OptionFlags.hpp"

namespace poplar {

class RuntimeOptions {
public:
  RuntimeOptions() = default;
  RuntimeOptions(const OptionFlags& options) : m_options(options) {}
  const OptionFlags& options() const { return m_options; }

private:
  OptionFlags m_options;
};

} // namespace poplar
