// `manual`: the page of `man tilescope-cli`, made from the declared commands.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class ManualCommand final : public Command {
public:
  void declare(Options&) override {}
  int run(Context& context) override;
  const char* name() const override { return "manual"; }
  const char* summary() const override { return "Print the manual page, as man(1) reads it"; }
};

} // namespace app::cli
