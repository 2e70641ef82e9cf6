// The effective value of each option of a run, for its report: "option.shard", "option.partials" …, given or default. Two reports then differ in
// every setting that changes a result.
#pragma once

#include "app/cli/workload_source.h"

#include <map>
#include <string>

namespace app::cli {

// For options that change a result and are in no other fact of the report. Options that do not apply to the graph are left out.
std::map<std::string, std::string> effectiveOptions(const WorkloadRequest& request);

enum class OptionTrace {
  Option,   // "option.NAME" of effectiveOptions()
  Fact,     // another key of the metadata, or the machine of the report
  NoResult, // sets where to write, what to print, or how much of this computer to use
};
struct TracedOption {
  const char* name; // without --
  OptionTrace trace;
  const char* key; // of a fact
};
// Every option of `run`; a test compares the list with the options.
const std::vector<TracedOption>& tracedOptions();

} // namespace app::cli
