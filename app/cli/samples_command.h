// `samples`: the shipped sample graphs, what to look at in each, and the parameters for --set.
#pragma once

#include "app/cli/command.h"

#include <string>

namespace app::cli {

class SamplesCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "samples"; }
  const char* summary() const override { return "List the sample graphs, or one: its parameters, its variant and its figures"; }

private:
  std::string m_sample;
  bool m_json = false;
};

} // namespace app::cli
