#include "reports/sqlite/row_io.h"

#include <array>

namespace reports {

namespace {

template<class T> struct ValueOf { using Type = T; };
template<class T> struct ValueOf<std::optional<T>> { using Type = T; };

template<class T> constexpr std::string_view sqlType() {
  using V = typename ValueOf<T>::Type;
  if constexpr (std::is_same_v<V, int64_t>)
    return "INTEGER";
  else if constexpr (std::is_same_v<V, double>)
    return "REAL";
  else if constexpr (std::is_same_v<V, std::string>)
    return "TEXT";
  else {
    static_assert(std::is_same_v<V, Blob>, "a column type no report has");
    return "BLOB";
  }
}

template<class Row> void addColumns(std::vector<ColumnText>& columns) {
  const auto add = [&]<class T>(const Column<Row, T>& c) {
    columns.push_back({std::string(c.name), std::string(sqlType<T>()), std::string(c.meaning), std::string(c.constraint),
                       !std::is_same_v<T, typename ValueOf<T>::Type>});
  };
  std::apply([&](const auto&... column) { (add(column), ...); }, Row::columns());
}

template<class Row> void bindAs(Statement& statement, const void* values) {
  const Row& row = *static_cast<const Row*>(values);
  std::apply(
      [&](const auto&... column) {
        int parameter = 0;
        (statement.bind(++parameter, row.*column.member), ...);
      },
      Row::columns());
}

template<class Row> void readAs(const Statement& statement, void* values, const RowLimits& limits) {
  Row& row = *static_cast<Row*>(values);
  std::apply(
      [&](const auto&... column) {
        int i = 0;
        (statement.read(i++, row.*column.member, column.name), ...);
      },
      Row::columns());
  checkRow(row, limits);
}

struct RowIo {
  void (*bind)(Statement& statement, const void* row);
  void (*read)(const Statement& statement, void* row, const RowLimits& limits);
};
template<class... Rows> constexpr std::array<RowIo, sizeof...(Rows)> rowIoOf(TypeList<Rows...>) {
  return {RowIo{&bindAs<Rows>, &readAs<Rows>}...};
}
constexpr auto kRowIo = rowIoOf(AllTables{});

} // namespace

const std::vector<TableText>& allTableTexts() {
  static const std::vector<TableText> all = [] {
    std::vector<TableText> texts;
    forEachTable([&]<class Row>() {
      texts.push_back({std::string(Row::kTable), std::string(Row::kMeaning), {}});
      addColumns<Row>(texts.back().columns);
    });
    return texts;
  }();
  return all;
}

const TableText& tableTextAt(std::size_t table) { return allTableTexts()[table]; }
void bindRow(Statement& statement, std::size_t table, const void* row) { kRowIo[table].bind(statement, row); }
void readRow(const Statement& statement, std::size_t table, void* row, const RowLimits& limits) {
  kRowIo[table].read(statement, row, limits);
}

} // namespace reports
