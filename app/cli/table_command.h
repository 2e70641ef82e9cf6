// `table REPORT [NAME]`: prints a table of a report, with the columns that the window shows.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class TableCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "table"; }
  const char* summary() const override { return "Print a table of a report: operations, variables, tiles …"; }

private:
  std::string m_report, m_name, m_sort, m_format = "table";
  std::vector<std::string> m_columns, m_tiles;
  int64_t m_top = 0;
  bool m_describe = false;
};

} // namespace app::cli
