#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"

namespace analyser::columns {

bool isNumeric(Kind kind) { return kind != Kind::Text && kind != Kind::Name; }

bool isDelta(Kind kind) {
  return kind == Kind::BytesDelta || kind == Kind::CyclesDelta || kind == Kind::NanosecondsDelta || kind == Kind::FlopsDelta ||
         kind == Kind::TileCyclesDelta || kind == Kind::CountDelta || kind == Kind::PercentDelta;
}

std::string_view unitOf(Kind kind) {
  switch (kind) {
  case Kind::Bytes:
  case Kind::BytesDelta: return "bytes";
  case Kind::Cycles:
  case Kind::CyclesDelta: return "cycles";
  case Kind::TileCycles:
  case Kind::TileCyclesDelta: return "tile-cycles";
  case Kind::Nanoseconds:
  case Kind::NanosecondsDelta: return "ns";
  case Kind::Flops:
  case Kind::FlopsDelta: return "FLOP";
  default: return {};
  }
}

std::string titleWithUnit(const std::string& title, Kind kind) {
  const std::string_view unit = unitOf(kind);
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  for (auto at = title.begin(); !unit.empty() && at != title.end();) {
    const auto end = std::find(at, title.end(), ' ');
    if (std::equal(at, end, unit.begin(), unit.end(), same)) return title;
    at = end == title.end() ? end : end + 1;
  }
  return unit.empty() ? title : title + " (" + std::string(unit) + ")";
}

std::string idOf(std::string_view title) {
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto isUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string id;
  bool startsWord = false, isFirstWord = true;
  for (const char c : title) {
    if (!isLetter(c) && (c < '0' || c > '9')) {
      startsWord = true;
      continue;
    }
    if (startsWord && !id.empty()) isFirstWord = false;
    if (isFirstWord)
      id += isUpper(c) ? char(c - 'A' + 'a') : c;
    else
      id += startsWord && isLetter(c) && !isUpper(c) ? char(c - 'a' + 'A') : c;
    startsWord = false;
  }
  return id.empty() || !isLetter(id.front()) ? "column" + id : id;
}

std::string_view titleOf(Thing thing) {
  switch (thing) {
  case Thing::Variable: return "variable";
  case Thing::Step: return "step";
  case Thing::Operation: return "operation";
  case Thing::Tile: return "tile";
  case Thing::VertexType: return "vertex type";
  case Thing::Category: return "category";
  case Thing::Region: return "region";
  case Thing::ComputeSet: break;
  }
  return "compute set";
}

} // namespace analyser::columns
