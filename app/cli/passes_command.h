// `passes`: the names of fusion passes for --disable-pass.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class PassesCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "passes"; }
  const char* summary() const override { return "List the passes that fuse nodes of a model"; }

private:
  bool m_json = false;
};

} // namespace app::cli
