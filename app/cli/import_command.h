// `import FILE…`: traces of other tools become one report.
#pragma once

#include "app/cli/command.h"
#include "app/cli/console_progress.h"

namespace app::cli {

class ImportCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "import"; }
  const char* summary() const override { return "Read traces of other tools into a report"; }

private:
  std::vector<std::string> m_files, m_offsets;
  std::string m_output, m_format, m_align = "absolute", m_title, m_device, m_runs = "Engine::run";
  bool m_json = false;
  ProgressStyle m_progress = ProgressStyle::Automatic;
};

} // namespace app::cli
