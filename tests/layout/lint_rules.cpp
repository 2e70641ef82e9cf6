#include "tests/layout/lint_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>

namespace layout {

namespace {

constexpr int kMaxLines = 500;
constexpr std::string_view kReason = "over 500 lines because";

void checkSize(const SourceFile& file, std::vector<Violation>& found) {
  const auto lines = std::ranges::count(file.text, '\n');
  if (lines > kMaxLines && file.text.find(kReason) == std::string::npos)
    found.push_back({file.path, 0, std::to_string(lines) + " lines; split it, or say in it \"" + std::string(kReason) + " …\""});
}

// A module that grows by what belongs to its neighbours: kernels are for simcore/numerics, plans for simcore/ops. Lower the figures when it
// gets smaller.
constexpr std::string_view kModel = "simcore/model";
constexpr int kMostModelFiles = 76, kMostModelLines = 14'400;

void checkModel(const std::vector<SourceFile>& files, std::vector<Violation>& found) {
  std::ptrdiff_t count = 0, lines = 0;
  for (const SourceFile& file : files)
    if (isSource(file) && startsWithFolder(file.path, kModel)) ++count, lines += std::ranges::count(file.text, '\n');
  if (count > kMostModelFiles || lines > kMostModelLines)
    found.push_back({std::string(kModel), 0,
                     std::to_string(count) + " files and " + std::to_string(lines) + " lines, more than " +
                         std::to_string(kMostModelFiles) + " and " + std::to_string(kMostModelLines) +
                         ": move kernels to simcore/numerics and plans to simcore/ops"});
}

void checkName(const SourceFile& file, std::vector<Violation>& found) {
  for (const char* folder : {"simcore/native/include", "simcore/poplar/include"}) // headers for others' programs have their names
    if (startsWithFolder(file.path, folder)) return;
  static const std::regex lowerSnake("[a-z0-9_/]+[.](h|cpp)");
  if (!std::regex_match(file.path, lowerSnake)) found.push_back({file.path, 0, "files and folders are lower_snake_case"});
}

void checkOpening(const SourceFile& file, std::vector<Violation>& found) {
  if (isHeader(file) && !file.text.starts_with("//")) found.push_back({file.path, 1, "a header opens with its purpose"});
}

// Type names with a meaningless ending such as Manager. Qt's own (QMimeData …) may be forward-declared.
void checkTypeNames(const SourceFile& file, const Line& line, std::vector<Violation>& found) {
  if (startsWithFolder(file.path, "simcore/poplar")) return; // names of Poplar
  static const std::regex definition(
      R"(\b(?:class|struct|enum|using)\s+(?:class\s+)?(?!Q[A-Z])(\w*(?:Manager|Helper|Utils?|Handler|Data|Info))\b\s*(?:final\b\s*)?[{:;=]?)");
  static const std::regex parameter(R"(<\s*(?:class|typename)\b)");
  const std::string code = codeOf(line.text);
  std::smatch match;
  if (std::regex_search(code, match, definition) && !std::regex_search(code, parameter))
    found.push_back({file.path, line.number, "type " + match[1].str() + " has an ending that says nothing"});
}

// Two types with the same full name in two headers: each source sees one of them, and the linker mixes their inline functions.
class OneDefinition {
public:
  void check(const SourceFile& file, std::vector<Violation>& found) {
    static const std::regex space(R"(^namespace ([\w:]+) \{)");
    static const std::regex definition(R"(^(?:class|struct|enum class) ([A-Z]\w*)(?: final)?(?: \{| : ))");
    std::string inside;
    std::match_results<std::string_view::const_iterator> match;
    for (const Line& line : linesOf(file.text)) {
      const auto begin = line.text.begin(), end = line.text.end();
      if (std::regex_search(begin, end, match, space)) inside = match[1].str();
      if (!std::regex_search(begin, end, match, definition)) continue;
      const std::string name = inside + "::" + match[1].str();
      const auto [first, isNew] = m_first.emplace(name, file.path);
      if (!isNew)
        found.push_back({file.path, line.number, "a second type of one name: " + name + " is in " + first->second + " too"});
    }
  }

private:
  std::map<std::string, std::string> m_first; // file by full name
};

// A column is described once, in the analyser. These sources still describe some of their own, or show data without an analysis
// (runs, the schema, the estimate of the command line); none may be added.
struct Described {
  std::string_view file;
  int columns;
};
constexpr Described kDescribedInUi[] = {
    {"ui/parts/debug_rows.cpp", 2},         {"ui/parts/debug_tab.cpp", 1},         {"ui/views/compare/report_columns.cpp", 1},
    {"ui/views/host/host_source.cpp", 4},   {"ui/views/host/slice_facts.cpp", 5},  {"ui/views/memory/exchange_tab.cpp", 1},
    {"ui/views/query/query_tables.cpp", 2}, {"ui/views/run/estimate_card.cpp", 3}, {"ui/views/run/run_table.cpp", 8},
    {"ui/views/sweep/sweep_view.cpp", 7},   {"ui/window/remote_sheet.cpp", 3}};

void checkColumns(const SourceFile& file, std::vector<Violation>& found) {
  if (!startsWithFolder(file.path, "ui")) return;
  static const std::regex column(R"([{]"[a-zA-Z]+",\s*(?:\w+\s*[?]\s*)?(?:QObject::)?tr[(]"[^{}]*?\bKind::)");
  const auto count = std::distance(std::sregex_iterator(file.text.begin(), file.text.end(), column), std::sregex_iterator());
  const auto known = std::ranges::find(kDescribedInUi, file.path, &Described::file);
  if (count > (known == std::end(kDescribedInUi) ? 0 : known->columns))
    found.push_back({file.path, 0, "columns of a table are described in analyser/<module>/<module>_columns.cpp"});
}

// A test waits for a signal or a state. A test that sleeps gives the reason, because it has no signal to wait for.
constexpr std::string_view kWaits = "waits because";

void checkSleeps(const SourceFile& file, const Line& line, std::string_view before, std::vector<Violation>& found) {
  static const std::regex sleeps(R"(\b(qWait|qSleep|[mu]?sleep|nanosleep|sleep_for|sleep_until)\s*\((?!\s*0\s*\)))");
  const bool isReasoned = line.text.find(kWaits) != std::string_view::npos || before.find(kWaits) != std::string_view::npos;
  if (startsWithFolder(file.path, "tests") && !isReasoned && std::regex_search(codeOf(line.text), sleeps))
    found.push_back({file.path, line.number, "a fixed sleep; wait for the state, or say \"" + std::string(kWaits) + " …\""});
}

void checkWords(const SourceFile& file, const Line& line, std::vector<Violation>& found) {
  static const std::regex ownMachine(R"((^|["'`( =])/(home|root|work|mnt|Users)/)");
  static const std::regex temporary(R"(["']/tmp\b)");
  const bool test = startsWithFolder(file.path, "tests");
  const auto has = [&](const std::regex& what) { return std::regex_search(line.text.begin(), line.text.end(), what); };
  if (has(ownMachine)) found.push_back({file.path, line.number, "a path of somebody's machine"});
  if (!isSource(file)) return;
  if (has(temporary)) found.push_back({file.path, line.number, "temporary folders come from the system, not by name"});
  if (!test && line.text.find("../shared") != std::string_view::npos)
    found.push_back({file.path, line.number, "only tests look beside the repository"});
  for (const char* word : {"TODO", "FIXME", "XXX"})
    if (!test && line.text.find(word) != std::string_view::npos)
      found.push_back({file.path, line.number, std::string(word) + ": write an issue instead"});
}

} // namespace

std::vector<Violation> checkLintRules(const std::vector<SourceFile>& files) {
  std::vector<Violation> found;
  checkModel(files, found);
  OneDefinition definitions;
  for (const SourceFile& file : files) {
    // the planted faults of the self-tests live in this folder
    if (startsWithFolder(file.path, "tests/layout")) continue;
    if (isSource(file)) {
      checkSize(file, found);
      checkName(file, found);
      checkOpening(file, found);
      checkColumns(file, found);
      if (isHeader(file)) definitions.check(file, found);
    }
    std::string_view before;
    for (const Line& line : linesOf(file.text)) {
      if (isSource(file)) checkTypeNames(file, line, found), checkSleeps(file, line, before, found);
      before = line.text;
      checkWords(file, line, found);
    }
  }
  return found;
}

} // namespace layout
