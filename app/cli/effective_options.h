// The effective value of each option of a run, for its report: "option.shard", "option.partials" …, given or default. Two reports
// then differ in every setting that changes a result.
#pragma once

#include "app/cli/workload_source.h"

#include <map>
#include <string>

namespace app::cli {

// Options that change a result and that no other fact of the report contains. Options that do not apply to the graph are left
// out.
std::map<std::string, std::string> effectiveOptions(const WorkloadRequest& request);

enum class OptionTrace {
  Option,   // "option.NAME" of effectiveOptions()
  Fact,     // another key of the metadata, or the name of the machine
  NoResult, // sets where to write, what to print, or how much of this computer to use
};
struct TracedOption {
  const char* name; // without --
  OptionTrace trace;
  const char* key; // set if trace is Fact: its key
};
// Every option of `run`; a test compares the list with the options.
const std::vector<TracedOption>& tracedOptions();

} // namespace app::cli
