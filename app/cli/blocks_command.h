// `tilescope-cli blocks`: the durations of the Blocks that a tile of each IPU timed.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class BlocksCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "blocks"; }
  const char* summary() const override { return "How long timed Blocks took: spread, drift, what was lost"; }

private:
  std::string m_report;
  bool m_json = false;
};

} // namespace app::cli
