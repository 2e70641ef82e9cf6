#include "tests/layout/fault_table.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace layout {

namespace {

constexpr std::string_view kTable = "tests/FAULTS.md", kEnd = "_test.cpp";
constexpr int kFaults = 52;

bool isNameLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether a test source whose path ends with `place` ("reader_faults", "reports/sqlite/query") has a slot of this name. A star at
// the end of the name matches any ending.
bool isTest(const std::vector<SourceFile>& files, std::string_view place, std::string_view name) {
  const bool isBeginning = name.ends_with('*');
  const std::string slot =
      "void " + std::string(isBeginning ? name.substr(0, name.size() - 1) : name) + (isBeginning ? "" : "()");
  return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
    return file.path.ends_with("/" + std::string(place) + std::string(kEnd)) && file.text.find(slot) != std::string::npos;
  });
}

// Numbers of the faults in the first column: "F1", or "F41–F43" for all of them.
std::vector<int> faultsOf(std::string_view cell) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i + 1 < cell.size(); ++i)
    if (cell[i] == 'F' && std::isdigit(static_cast<unsigned char>(cell[i + 1])))
      numbers.push_back(std::stoi(std::string(cell.substr(i + 1))));
  if (numbers.size() == 2)
    for (int n = numbers[0] + 1; n < numbers[1]; ++n) numbers.push_back(n);
  return numbers;
}

// Format of the tests: `place`: name, name; `place`: name. Remarks are in parentheses. A place without names is another file.
void checkTests(const std::vector<SourceFile>& files, const Line& line, std::string_view cell, std::vector<Violation>& found) {
  const auto complain = [&](const std::string& message) { found.push_back({std::string(kTable), line.number, message}); };
  int tests = 0;
  for (std::size_t at = cell.find('`'); at != std::string_view::npos;) {
    const std::size_t close = cell.find('`', at + 1);
    if (close == std::string_view::npos) return complain("a quote is not closed");
    const std::string_view place = cell.substr(at + 1, close - at - 1);
    const std::size_t next = cell.find('`', close + 1);
    std::string_view names = cell.substr(close + 1, next == std::string_view::npos ? next : next - close - 1);
    at = next;
    ++tests;
    if (!names.starts_with(':')) {
      const bool isThere = place.starts_with("./") || std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
                             return file.path.starts_with("tests/" + std::string(place));
                           });
      if (!isThere) complain("the file tests/" + std::string(place) + " does not exist");
      continue;
    }
    names = names.substr(0, std::min(names.find('('), names.find(';')));
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!isNameLetter(names[i])) continue;
      std::size_t end = i;
      while (end < names.size() && (isNameLetter(names[end]) || names[end] == '*')) ++end;
      if (!isTest(files, place, names.substr(i, end - i)))
        complain(std::string(place) + std::string(kEnd) + " has no test " + std::string(names.substr(i, end - i)));
      i = end;
    }
  }
  if (tests == 0 && cell.find("there is no") == std::string_view::npos) complain("the fault names no test");
}

} // namespace

std::vector<Violation> checkFaultTable(const std::vector<SourceFile>& files) {
  std::vector<Violation> found;
  std::set<int> seen;
  for (const SourceFile& file : files) {
    if (file.path != kTable) continue;
    for (const Line& line : linesOf(file.text)) {
      if (!line.text.starts_with("| F") && !line.text.starts_with("| –")) continue;
      const std::size_t first = line.text.find('|', 1), second = line.text.find('|', first + 1);
      if (second == std::string_view::npos) continue;
      for (const int fault : faultsOf(line.text.substr(1, first))) seen.insert(fault);
      checkTests(files, line, line.text.substr(second + 1), found);
    }
  }
  for (int fault = 1; fault <= kFaults && !files.empty(); ++fault)
    if (!seen.contains(fault)) found.push_back({std::string(kTable), 0, "fault F" + std::to_string(fault) + " has no row"});
  return found;
}

} // namespace layout
