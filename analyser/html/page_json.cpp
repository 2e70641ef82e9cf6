#include "analyser/html/page_json.h"

#include <nlohmann/json.hpp>

namespace analyser::html {

void PagePart::cut(const std::string& what, std::size_t kept, std::size_t all) const {
  if (kept < all) cuts.push_back(what + ": " + formatCount(int64_t(kept)) + " of " + formatCount(int64_t(all)) + ".");
}

PageJson column(const char* title, const char* kind, const char* tip) { return {{"title", title}, {"kind", kind}, {"tip", tip}}; }

PageJson pageTable(const char* id, const char* title, const char* under, int sort, PageJson columns) {
  PageJson table = {{"id", id}, {"title", title}, {"under", under}, {"sort", sort}};
  table["columns"] = std::move(columns);
  table["rows"] = PageJson::array();
  return table;
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
