#include "analyser/html/page_json.h"

#include <nlohmann/json.hpp>

namespace analyser::html {

void PagePart::cut(const std::string& what, std::size_t kept, std::size_t all) const {
  if (kept < all) cuts.push_back(what + ": " + formatCount(int64_t(kept)) + " of " + formatCount(int64_t(all)) + ".");
}

namespace {
// The name of a kind in the page's script.
const char* pageKind(columns::Kind kind) {
  using columns::Kind;
  switch (kind) {
  case Kind::Text: return "text";
  case Kind::Name: return "name";
  case Kind::Number: return "number";
  case Kind::Bytes:
  case Kind::BytesDelta: return "bytes";
  case Kind::Cycles:
  case Kind::CyclesDelta:
  case Kind::TileCycles:
  case Kind::TileCyclesDelta:
  case Kind::Flops:
  case Kind::FlopsDelta: return "cycles";
  case Kind::Nanoseconds:
  case Kind::NanosecondsDelta: return "nanoseconds";
  case Kind::Percent:
  case Kind::PercentDelta: return "percent";
  case Kind::Count:
  case Kind::CountDelta:
  case Kind::Address: break;
  }
  return "count";
}

PageJson pageCell(const columns::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return *whole;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return nullptr;
}
} // namespace

PageJson column(const std::string& title, const char* kind, const std::string& tip) {
  return {{"title", title}, {"kind", kind}, {"tip", tip}};
}

PageJson pageTable(const char* id, const char* title, const char* under, const columns::Table& table) {
  PageJson json = {{"id", id}, {"title", title}, {"under", under}, {"sort", table.sort}};
  json["columns"] = json["rows"] = PageJson::array();
  for (const columns::Table::Title& t : table.titles)
    json["columns"].push_back(column(printable(t.text), pageKind(t.kind), t.meaning));
  for (const auto& row : table.rows) {
    PageJson cells = PageJson::array();
    for (const columns::Cell& cell : row) cells.push_back(pageCell(cell));
    json["rows"].push_back(std::move(cells));
  }
  return json;
}

PageJson paint(Colour colour) { return PageJson::array({cssColour(colour.light), cssColour(colour.dark)}); }

PageJson runsOf(std::span<const int64_t> values) {
  PageJson runs = PageJson::array();
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == values[i]) ++end;
    runs.push_back(end - i);
    runs.push_back(values[i]);
    i = end;
  }
  return runs;
}

PageJson runsOf(std::span<const Bytes> values) {
  std::vector<int64_t> numbers;
  for (const Bytes b : values) numbers.push_back(b.value());
  return runsOf(numbers);
}

} // namespace analyser::html
