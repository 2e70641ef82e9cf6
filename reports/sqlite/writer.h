// Writes a report file. A report is whole or absent: everything goes to `name.part.<pid>.<random>` beside the target, in one
// transaction; commit() marks it complete, syncs it and renames it over the target. Without commit() no file remains.
#pragma once

#include "reports/rows/report_sink.h"
#include "reports/sqlite/part_file.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/statement.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reports {

class Writer final : public ForwardingSink<Writer> {
public:
  // Creates the temporary file and removes those of dead processes. Throws Error(Io).
  explicit Writer(std::filesystem::path target, PartFile::Replaces replaces = PartFile::Replaces::Reports,
                  PartFile::Links links = PartFile::Links::Follow);
  ~Writer() override;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Afterwards the target is the new report. Throws Error(Io), e.g. "disk full"; the old target is then unchanged.
  void commit();

  const std::filesystem::path& target() const { return m_file.target(); }
  const std::filesystem::path& temporary() const { return m_file.path(); }

  // Called by add(); rows go to the table of their type.
  template<class Row> void receive(const Row& row) {
    requireOpen();
    m_failed = true; // until the row is in: without a journal a failed insert leaves the file undefined
    Statement& statement = insertInto<Row>();
    std::apply(
        [&](const auto&... column) {
          int parameter = 0;
          (statement.bind(++parameter, row.*column.member), ...);
        },
        Row::columns());
    if constexpr (std::is_same_v<Row, ReportIssueRow>) statement.bind(1, m_issues++);
    statement.run();
    m_failed = false;
  }

private:
  template<class Row> Statement& insertInto() {
    auto& slot = m_inserts[tableIndex<Row>(AllTables{})];
    if (!slot) slot = prepareInsert(tableText<Row>());
    return *slot;
  }
  template<class Row, class... Rows> static constexpr std::size_t tableIndex(TypeList<Rows...>) {
    std::size_t i = 0;
    (void)((std::is_same_v<Row, Rows> ? false : (++i, true)) && ...);
    return i;
  }
  std::unique_ptr<Statement> prepareInsert(const TableText& table);
  void requireOpen() const;
  void abandon() noexcept;

  PartFile m_file;
  std::unique_ptr<Connection> m_connection;
  std::vector<std::unique_ptr<Statement>> m_inserts;
  int64_t m_issues = 0;
  bool m_failed = false;
};

} // namespace reports
