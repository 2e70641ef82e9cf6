// A command of `tilescope-cli`: its options, and a run that prints to given streams, so that tests run it in process. A run
// returns the exit code 0 (done) or 1 (the answer is no); errors are exceptions.
#pragma once

#include "app/cli/options.h"
#include "reports/core/progress.h"

#include <iosfwd>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace app::cli {

inline constexpr int kDone = 0, kAnswerIsNo = 1, kFailed = 2;

class TerminalLine;

struct Context {
  std::ostream& out;
  std::ostream& err;
  TerminalLine* line = nullptr; // progress is drawn there unless JSON is requested; null if standard error is not a terminal
  std::stop_token stop;
  std::string program; // argv[0], for the command line in a report
  std::vector<std::string> arguments;
  bool outIsStandard = false; // `out` is the standard output of this process
};

class Command {
public:
  virtual ~Command() = default;
  virtual void declare(Options& command) = 0; // its options; called once
  virtual int run(Context& context) = 0;
  virtual const char* name() const = 0;
  virtual const char* summary() const = 0; // one line for --help
};

} // namespace app::cli
