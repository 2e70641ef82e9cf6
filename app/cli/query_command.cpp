#include "app/cli/query_command.h"

#include "analyser/query/query.h"
#include "app/cli/checks.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>

namespace app::cli {

namespace {
constexpr int64_t kMostRows = 1'000'000'000;
}

void QueryCommand::declare(CLI::App& command) {
  command.add_option("REPORT", m_report, "a report (.tsr)")->required()->check(isNamed());
  command.add_option("SQL", m_sql, "one SELECT statement; tables are in reports/SCHEMA.md and in sqlite_master")->required();
  auto* format = command.add_option("--format", m_format, "table, csv or json")
                     ->check(CLI::IsMember({"table", "csv", "json"}))
                     ->capture_default_str();
  command.add_flag("--json", m_json, "the same as --format json")->excludes(format);
  command.add_option("--limit", m_limit, "most rows to print")->check(CLI::Range(int64_t(1), kMostRows))->capture_default_str();
  command.add_option("--time-limit", m_timeLimit, "seconds after which a query is given up")
      ->check(isBetween(0.001, 1e9))
      ->capture_default_str();
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
