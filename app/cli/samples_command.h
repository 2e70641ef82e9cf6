// `samples`: the shipped sample graphs, what to look at in each, and what --set can change.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class SamplesCommand final : public Command {
public:
  void declare(CLI::App& command) override;
  int run(Context& context) override;
  const char* name() const override { return "samples"; }
  const char* summary() const override { return "List the sample graphs and their parameters"; }

private:
  bool m_json = false;
};

} // namespace app::cli
