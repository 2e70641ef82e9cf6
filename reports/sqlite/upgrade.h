// Old reports are never changed: an upgrade makes a copy of today's schema, step by step, whole or not at all.
#pragma once

#include "reports/sqlite/schema.h"

#include <filesystem>
#include <string>
#include <vector>

namespace reports {

// Turns schema `from` into `from` + 1.
struct UpgradeStep {
  int from = 0;
  std::vector<std::string> sql;
};

// All steps from the first published schema to kSchemaVersion. Version 1 is the first, so there are none yet.
const std::vector<UpgradeStep>& upgradeSteps();

// Throws Error(Unsupported) if no chain of steps leads from the file's version to `version`.
void upgradeCopy(const std::filesystem::path& source, const std::filesystem::path& target,
                 const std::vector<UpgradeStep>& steps = upgradeSteps(), int version = kSchemaVersion);

} // namespace reports
