// `validate-model`: published measurements beside simulated cycles.
#pragma once

#include "app/cli/command.h"
#include "app/cli/console_progress.h"
#include "simcore/validation/validation_case.h"

#include <cstdint>

namespace app::cli {

class ValidateModelCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "validate-model"; }
  const char* summary() const override { return "Compare the model with published measurements"; }

private:
  std::vector<simcore::validation::ValidationCase> cases() const;
  int validateCodelets(Context& context) const;

  std::string m_cases;
  bool m_models = false, m_codelets = false;
  std::vector<std::string> m_only;
  int64_t m_seed = 0;
  bool m_json = false;
  ProgressStyle m_progress = ProgressStyle::Automatic;
};

} // namespace app::cli
