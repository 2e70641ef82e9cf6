#include "reports/sqlite/writer.h"

namespace reports {

Writer::Writer(std::filesystem::path target, PartFile::Replaces replaces, PartFile::Links links)
    : m_file(std::move(target), replaces, links) {
  m_connection = std::make_unique<Connection>(m_file.path(), Connection::Mode::ReadWrite, m_file.target().string());
  createSchema(*m_connection);
  forEachTable([&]<class Row>() { m_inserts.emplace_back(); });
}

Writer::~Writer() { abandon(); }

void Writer::abandon() noexcept {
  m_inserts.clear();
  m_connection.reset();
  m_file.remove();
}

std::unique_ptr<Statement> Writer::prepareInsert(const TableText& table) {
  return std::make_unique<Statement>(*m_connection, insertSql(table));
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
