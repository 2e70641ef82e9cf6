// A sweep is many runs of one graph with different settings. Its spec (JSON, written by people) becomes a manifest: one line of
// JSON for each run, keyed by the SHA-256 of everything that affects the outcome. Equal runs have equal keys, so repeating a
// task, here or on another machine, writes the same files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace analyser::sweep {

// One run: `arguments` follow `tilescope-cli run`; the runner adds the report's name.
struct Configuration {
  std::string key;                                         // 64 hexadecimal digits
  std::vector<std::string> arguments;                      // graph first
  std::vector<std::pair<std::string, std::string>> values; // the varied parameters, by name
  std::vector<std::string> files;                          // files that the run reads: its model, --input, --tags
  std::string program;                                     // the program that the run starts, if the graph is "program:FILE"

  // "batch 4, precision fp16".
  std::string valuesText() const;
};

struct Manifest {
  std::vector<std::string> parameters; // parameters that any configuration varies
  std::vector<Configuration> configurations;
};

inline constexpr std::size_t kMostConfigurations = 1'000'000;

// The spec: {"graph": "mnist-train", "arguments": ["--no-numbers"], "parameters": {"batch": [16, 32], "--machine": ["gc200",
// "bow"]}, "cases": [{"batch": 8}], "exclude": [{"batch": 32, "--machine": "bow"}]}. A name that begins with -- is an option of
// `run`, any other name a parameter of the sample; an option with the value true is a flag. Every combination of `parameters` is
// run, then every case. Runs that match an entry of `exclude`, and repeated runs, are left out. `exclude` names parameters of the
// sweep. Throws Error(InvalidInput) naming `where` and the member; Error(Io) for a graph file that cannot be read.
Manifest planSweep(const std::string& specText, const std::string& where);

std::string manifestText(const Manifest& manifest);
// Throws Error(InvalidInput, NotFound or Io) naming the file and the line.
Manifest readManifest(const std::filesystem::path& file);

} // namespace analyser::sweep
