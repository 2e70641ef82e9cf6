// `tilescope-cli fit`: the largest batch (or other number) with which a graph fits its machine, the memory that it then needs,
// and what fails first with a larger one. Each trial is a run without numbers.
#pragma once

#include "app/cli/run_command.h"

#include <optional>

namespace app::cli {

class FitCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "fit"; }
  const char* summary() const override { return "Find the largest batch with which a graph fits, and what breaks beyond it"; }

private:
  struct Trial {
    int64_t value = 0;
    bool fits = false;
    reports::Bytes fullest, ofTile; // bytes of the fullest tile, with gaps, and its memory
    int64_t overflowTiles = 0;
    reports::Cycles cycles;
    std::optional<double> perSample; // cycles
    std::string why;                 // why it does not fit
  };
  Trial tried(Context& context, int64_t value) const;
  Trial measured(const std::string& report, int64_t value, const std::stop_token& stop) const;
  bool isOfFile(const reports::Error& error) const;
  std::vector<std::string> wordsFor(const Context& context, int64_t value) const;
  void printText(Context& context, const std::vector<Trial>& trials, const Trial* largest, const Trial* beyond) const;
  void printJson(Context& context, const std::vector<Trial>& trials, const Trial* largest, const Trial* beyond) const;

  RunCommand m_run; // declares and checks the options of a run
  std::string m_over = "batch";
  int64_t m_from = 1, m_most = 1 << 16;
};

} // namespace app::cli
