// `query REPORT SQL`: one read-only SELECT on a report.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class QueryCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "query"; }
  const char* summary() const override { return "Run one read-only SQL statement on a report"; }

private:
  std::string m_report, m_sql, m_format = "table";
  bool m_json = false;
  int64_t m_limit = 100'000;
  double m_timeLimit = 30; // seconds
};

} // namespace app::cli
