#include "reports/sqlite/upgrade.h"

#include "reports/sqlite/harden.h"
#include "reports/sqlite/part_file.h"
#include "reports/sqlite/report_file.h"
#include "reports/sqlite/statement.h"

#include <algorithm>

namespace reports {

namespace {
const UpgradeStep& stepFrom(int version, const std::vector<UpgradeStep>& steps, const std::string& name) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const UpgradeStep& s) { return s.from == version; });
  if (found == steps.end())
    throw Error(ErrorCode::Unsupported, "no upgrade from schema version " + std::to_string(version), name,
                "make the report again");
  return *found;
}

void requireSound(Connection& connection) {
  Statement check(connection, "PRAGMA quick_check(1)");
  std::string answer;
  if (check.step()) check.read(0, answer, "quick_check");
  if (answer != "ok") throw Error(ErrorCode::Damaged, "report is damaged: " + answer, connection.name(), "make it again");
}
} // namespace

const std::vector<UpgradeStep>& upgradeSteps() {
  static const std::vector<UpgradeStep> steps;
  return steps;
}

void upgradeCopy(const std::filesystem::path& source, const std::filesystem::path& target, const std::vector<UpgradeStep>& steps,
                 int version) {
  const ReportFile file = inspectReportFile(source);
  const std::string name = source.string();
  PartFile part(target);
  std::error_code error;
  std::filesystem::copy_file(file.realPath, part.path(), std::filesystem::copy_options::overwrite_existing, error);
  if (error) throw Error(ErrorCode::Io, "cannot copy: " + error.message(), target.string());
  Connection connection(part.path(), Connection::Mode::ReadWrite, name);
  hardenForUpgrade(connection);
  requireSound(connection);
  connection.execute("BEGIN");
  for (int at = int(file.schemaVersion); at < version; ++at)
    for (const auto& sql : stepFrom(at, steps, name).sql) connection.execute(sql);
  connection.execute("PRAGMA user_version = " + std::to_string(version));
  connection.execute("COMMIT");
  connection.close();
  part.publish();
}

} // namespace reports
