// `completion`: a script that completes commands, options and their values in a shell.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class CompletionCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "completion"; }
  const char* summary() const override { return "Print a script that completes commands and options in a shell"; }

private:
  std::string m_shell;
};

} // namespace app::cli
