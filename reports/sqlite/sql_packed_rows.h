// SQL tables that unpack one stored row after another.
#pragma once

#include "reports/sqlite/reader.h"
#include "reports/sqlite/sql_table.h"

namespace reports {

// The derived class decodes a stored row and returns the cells of the rows packed in it.
template<class Row> class PackedRows : public SqlRows {
public:
  PackedRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : m_reader(reader), m_stored(reader, where, parameters) {}

  bool next() final {
    ++m_index;
    while (m_index >= m_count) {
      if (!m_stored.next(m_row)) return false;
      m_count = unpack();
      m_index = 0;
    }
    return true;
  }

protected:
  virtual std::size_t unpack() = 0; // decodes m_row; returns the number of rows in it
  SqlCell name(int64_t stringId) const {
    if (!m_reader.hasText(stringId)) return {};
    return std::string_view(m_reader.text(stringId));
  }
  std::size_t machineTiles() const { return std::size_t(m_reader.limits().tiles); }

  Reader& m_reader;
  Row m_row;
  std::size_t m_index = 0;

private:
  RowCursor<Row> m_stored;
  std::size_t m_count = 0;
};

template<class Rows>
SqlTable packedTable(std::string name, std::string meaning, std::string declaration, std::vector<SqlFilter> filters) {
  return {std::move(name), std::move(meaning), std::move(declaration), std::move(filters),
          [](Reader& reader, const std::string& where, const SqlParameters& parameters) -> std::unique_ptr<SqlRows> {
            return std::make_unique<Rows>(reader, where, parameters);
          }};
}

} // namespace reports
