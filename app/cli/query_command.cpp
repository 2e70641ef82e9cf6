#include "app/cli/query_command.h"

#include "analyser/query/query.h"
#include "app/cli/options.h"

#include <cmath>
#include <ostream>

namespace app::cli {

namespace {
constexpr int64_t kMostRows = 1'000'000'000;
}

void QueryCommand::declare(Options& command) {
  command.addOption("REPORT", m_report, "a report (.tsr)").required().check(isNamed());
  command.addOption("SQL", m_sql, "one SELECT statement; tables are in reports/SCHEMA.md and in sqlite_master").required();
  const Option format =
      command.addOption("--format", m_format, "table, csv or json").check(isOneOf({"table", "csv", "json"})).showDefault();
  command.addFlag("--json", m_json, "the same as --format json").excludes(format);
  command.addOption("--limit", m_limit, "most rows to print").check(isInRange(1, kMostRows)).showDefault();
  command.addOption("--time-limit", m_timeLimit, "seconds after which a query is stopped")
      .check(isBetween(0.001, 1e9))
      .showDefault();
}

int QueryCommand::run(Context& context) {
  const auto session = analyser::Session::open(m_report);
  analyser::query::Limits limits;
  limits.maxRows = static_cast<std::size_t>(m_limit);
  limits.maxTime = std::chrono::milliseconds(std::llround(m_timeLimit * 1000));
  const auto result = analyser::query::run(*session, m_sql, limits, context.stop);
  const std::string format = m_json ? "json" : m_format;
  if (format == "json")
    context.out << analyser::query::formatJson(result);
  else if (format == "csv")
    context.out << analyser::query::formatCsv(result);
  else
    context.out << analyser::query::formatTable(result);
  if (result.truncated)
    context.err << "tilescope-cli: only the first " << result.rows.size() << " rows are shown (see --limit)\n";
  return kDone;
}

} // namespace app::cli
