// `machines`: the names for --machine, with the most important constants.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class MachinesCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "machines"; }
  const char* summary() const override { return "List the machines that can be simulated"; }

private:
  bool m_json = false;
};

} // namespace app::cli
