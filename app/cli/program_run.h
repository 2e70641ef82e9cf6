// `run program:FILE`: starts a program that was built against the SDK, on the simulated machine, and keeps the report that it
// writes. Its output is the output of the run.
#pragma once

#include "reports/core/progress.h"

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace app::cli {

struct ProgramRun {
  std::filesystem::path file;
  std::string arguments, environment;               // words as a shell splits them; environment: "NAME=VALUE"
  std::string folder;                               // its working folder; empty: that of this process
  std::string machine;                              // for TILESCOPE_MACHINE; empty: the variable is not changed
  std::map<std::string, std::string> settings;      // the value of each {name} in the arguments and the environment
  std::map<std::string, std::string> engineOptions; // added to POPLAR_ENGINE_OPTIONS
  std::map<std::string, std::string> metadata;      // for the report: its command line, its tags
  std::filesystem::path report;                     // the report to write; an existing report may be replaced
  bool keepsOutput = false;                         // standard output is for JSON: the program's own goes to standard error
};

// Whether the file begins as a program or a script does, and may be started.
bool isProgramFile(const std::filesystem::path& file);
// Throws Error(NotFound or InvalidInput) if the file is not a program, a quote is not closed, or no argument uses a setting.
void requireStartable(const ProgramRun& run);

// How the program ended.
struct ProgramEnd {
  int exitCode = 0; // -1 if a signal ended it
  int signal = 0;   // 0 if none did
  bool wroteReport = false;
  std::string inWords() const; // "ended with exit code 3"
};
// Runs the program to its end. A stop request ends it and throws Cancelled. Throws like requireStartable(), and Error(Io) if it
// cannot be started.
ProgramEnd runProgram(const ProgramRun& run, const std::stop_token& stop, reports::Progress& progress);

} // namespace app::cli
