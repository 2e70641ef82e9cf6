// Writes a report file. A report is whole or absent: everything goes to `name.part.<pid>.<random>` beside the target, in one
// transaction; commit() marks it complete, syncs it and renames it over the target. Without commit() no file remains.
#pragma once

#include "reports/rows/report_sink.h"
#include "reports/sqlite/part_file.h"
#include "reports/sqlite/statement.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reports {

class Writer final : public ReportSink {
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

private:
  void take(std::size_t table, const void* row) override;
  void requireOpen() const;
  void abandon() noexcept;

  PartFile m_file;
  std::unique_ptr<Connection> m_connection;
  std::vector<std::unique_ptr<Statement>> m_inserts;
  int64_t m_issues = 0;
  bool m_failed = false;
};

} // namespace reports
