// The options of a session as words: those of `tilescope-cli run` for a model, and a few for sessions only.
#pragma once

#include "app/cli/workload_source.h"
#include "simcore/run/engine_options.h"

#include <string>
#include <utility>
#include <vector>

namespace app::capi {

struct ReadOptions {
  cli::WorkloadRequest request;
  std::string precision;
  simcore::run::EngineOptionSet engine;
  std::vector<std::string> reports; // files requested by engine options
  int64_t profiledRuns = 2;
};

// A value of the option `group`, NUMBER:NAME=VALUE: sets a setting of a group of parameters ("0:learning-rate=0.1"), or adds a
// parameter to the group ("0:parameter=NAME").
struct GroupWord {
  std::size_t number = 0;
  std::string key, value;
};
GroupWord groupWord(const std::string& word); // throws Error(InvalidInput)

class SessionOptions {
public:
  // Throws Error(InvalidInput) for an unknown option. read() checks the value.
  void set(const std::string& name, const std::string& value);
  ReadOptions read() const; // throws Error(InvalidInput) for an invalid value of an option

private:
  std::vector<std::pair<std::string, std::string>> m_given; // in the order in which they were set
};

} // namespace app::capi
