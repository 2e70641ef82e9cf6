// A table is data: a plain struct and the list of its columns. The CREATE TABLE statement, the writer's bindings, the reader's
// checks and the reference in SCHEMA.md come from that list (a test fails if that page and these lists disagree). `columns` of a
// row is a template, so that sources that only fill rows do not compile the list. Compiling the lists took a second in each of
// fifty batches.
#pragma once

#include "reports/core/packed.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace reports {

// Allowed member types of a column: int64_t, double, std::string, Blob, and std::optional of these (NULL allowed).
template<class Row, class T> struct Column {
  std::string_view name;
  T Row::*member;
  std::string_view meaning;    // with unit and null rule; the text of SCHEMA.md
  std::string_view constraint; // e.g. "PRIMARY KEY"; NOT NULL is added automatically
};

template<class Row, class T>
constexpr Column<Row, T> column(std::string_view name, T Row::*member, std::string_view meaning,
                                std::string_view constraint = {}) {
  return {name, member, meaning, constraint};
}

} // namespace reports
