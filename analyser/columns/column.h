// Columns of a result table: defined once beside the analysis that makes the rows, and read by the window, the HTML page,
// CSV, JSON, Markdown and the command line. Each reader chooses the widths of columns and which of them draw bars.
// The id identifies a column everywhere: titles are for people and may change.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace analyser::columns {

enum class Kind {
  Text,
  Name,        // text in the fixed-width face, elided in the middle
  Count,       // int64
  Number,      // double, three significant digits
  Bytes,       // int64
  Cycles,      // int64
  TileCycles,  // int64, summed over tiles; not an elapsed time
  Nanoseconds, // int64
  Flops,       // int64
  Percent,     // double, 0 to 1
  Address,     // int64, hexadecimal
  BytesDelta,
  CyclesDelta,
  NanosecondsDelta,
  FlopsDelta,
  TileCyclesDelta,
  CountDelta,   // signed int64; a decrease is blue, an increase orange
  PercentDelta, // double
};

bool isNumeric(Kind kind);
bool isDelta(Kind kind);
std::string_view unitOf(Kind kind); // e.g. "bytes", printed after exact values; empty for counts, shares and text
// For plain values: "Code (bytes)", but "Bytes" if the title already names the unit.
std::string titleWithUnit(const std::string& title, Kind kind);

using Cell = std::variant<std::monostate, std::string, int64_t, double>; // monostate: unknown

// Makes a cell from a quantity, an id, a number or text. An empty optional or an invalid id makes an unknown cell.
template<class T> Cell cellOf(const T& value) {
  if constexpr (std::same_as<T, Cell>) {
    return value;
  } else if constexpr (requires { value.has_value(); }) {
    return value ? cellOf(*value) : Cell();
  } else if constexpr (requires { value.valid(); }) {
    return value.valid() ? Cell(int64_t(value.value())) : Cell();
  } else if constexpr (requires { value.value(); }) {
    return Cell(int64_t(value.value()));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return Cell(std::string(std::string_view(value)));
  } else if constexpr (std::floating_point<T>) {
    return Cell(double(value));
  } else {
    return Cell(int64_t(value));
  }
}

// The value if it is known, else nothing.
template<class T> std::optional<T> knownIf(bool isKnown, T value) {
  return isKnown ? std::optional<T>(std::move(value)) : std::nullopt;
}

enum class Sum { No, Yes }; // whether the rows' values may be added up

// Computes a cell of a row: from a member of the row, or by a function of the row.
template<class Row> class Value {
public:
  template<class F>
  requires std::invocable<const F&, const Row&> Value(F of)
      : m_of([of = std::move(of)](const Row& row) { return cellOf(std::invoke(of, row)); }) {}
  Cell operator()(const Row& row) const { return m_of(row); }

private:
  std::function<Cell(const Row& row)> m_of;
};

template<class Row> struct Column {
  std::string id; // unique in its table, lower camel case; kept in settings and links
  std::string title;
  Kind kind = Kind::Text;
  std::string meaning; // one sentence without a full stop; empty if the title suffices
  Value<Row> value;
  Sum sum = Sum::No;
};
template<class Row> using Columns = std::vector<Column<Row>>;

// All columns except those with these ids.
template<class Row> Columns<Row> without(Columns<Row> columns, std::initializer_list<std::string_view> ids) {
  std::erase_if(columns, [&](const Column<Row>& c) { return std::find(ids.begin(), ids.end(), c.id) != ids.end(); });
  return columns;
}

// The index of the column in the list; -1: no column has this id.
template<class Row> int indexOf(const Columns<Row>& columns, std::string_view id) {
  const auto at = std::find_if(columns.begin(), columns.end(), [&](const Column<Row>& c) { return c.id == id; });
  return at == columns.end() ? -1 : int(at - columns.begin());
}

// An id for a column whose title comes from the report: "notAlwaysLive" of "Not always live".
std::string idOf(std::string_view title);

} // namespace analyser::columns
