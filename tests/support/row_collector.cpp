#include "tests/support/row_collector.h"

#include <tuple>

namespace tests {

namespace {
template<class List> struct VectorsOf;
template<class... Rows> struct VectorsOf<reports::TypeList<Rows...>> { using Type = std::tuple<std::vector<Rows>...>; };
} // namespace

struct RowCollector::Rows final : reports::ForwardingSink<RowCollector::Rows> {
  template<class Row> void receive(const Row& row) {
    auto& rows = std::get<std::vector<Row>>(all);
    rows.push_back(row);
    if constexpr (std::is_same_v<Row, reports::ReportIssueRow>) rows.back().id = int64_t(rows.size()) - 1;
  }
  VectorsOf<reports::AllTables>::Type all;
};

RowCollector::RowCollector() : m_rows(std::make_unique<Rows>()) {}
RowCollector::~RowCollector() = default;
RowCollector::RowCollector(RowCollector&&) noexcept = default;
RowCollector& RowCollector::operator=(RowCollector&&) noexcept = default;

reports::ReportSink& RowCollector::sink() { return *m_rows; }

const void* RowCollector::rowsOf(std::string_view table) const {
  const void* found = nullptr;
  reports::forEachTable([&]<class Row>() {
    if (Row::kTable == table) found = &std::get<std::vector<Row>>(m_rows->all);
  });
  return found;
}

std::string RowCollector::text(int64_t id) const {
  for (const auto& row : rows<reports::StringRow>())
    if (row.id == id) return row.text;
  return {};
}

void RowCollector::replay(reports::ReportSink& into) const {
  reports::forEachTable([&]<class Row>() {
    for (const auto& row : rows<Row>()) into.add(row);
  });
}

} // namespace tests
