#include "reports/sqlite/writer.h"

#include "reports/sqlite/row_io.h"

namespace reports {

Writer::Writer(std::filesystem::path target, PartFile::Replaces replaces, PartFile::Links links)
    : m_file(std::move(target), replaces, links) {
  m_connection = std::make_unique<Connection>(m_file.path(), Connection::Mode::ReadWrite, m_file.target().string());
  createSchema(*m_connection);
  m_inserts.resize(allTableTexts().size());
}

Writer::~Writer() { abandon(); }

void Writer::abandon() noexcept {
  m_inserts.clear();
  m_connection.reset();
  m_file.remove();
}

void Writer::take(std::size_t table, const void* row) {
  requireOpen();
  m_failed = true; // until the row is in: without a journal a failed insert leaves the file undefined
  auto& statement = m_inserts[table];
  if (!statement) statement = std::make_unique<Statement>(*m_connection, insertSql(tableTextAt(table)));
  bindRow(*statement, table, row);
  if (table == kTableNumber<ReportIssueRow>) statement->bind(1, m_issues++);
  statement->run();
  m_failed = false;
}

void Writer::requireOpen() const {
  if (!m_connection) throw Error(ErrorCode::Internal, "report was committed before", target().string());
}

void Writer::commit() {
  requireOpen();
  if (m_failed)
    throw Error(ErrorCode::Io, "the report is not written, because one of its rows could not be written", target().string());
  try {
    for (const auto& sql : indexSql()) m_connection->execute(sql);
    add(MetadataRow{kChecksumKey, "numbered"});
    add(MetadataRow{"complete", "1"});
    m_inserts.clear();
    m_connection->execute("COMMIT");
    m_connection->close();
    m_connection.reset();
    m_file.publish();
  } catch (...) {
    abandon();
    throw;
  }
}

} // namespace reports
