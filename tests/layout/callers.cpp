#include "tests/layout/callers.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>

namespace layout {

namespace {

// Functions of a public interface, called by users' programs, like all functions of app/capi/tilescope.h.
constexpr std::string_view kForOthers[] = {"repeatWhileFalse",    "assumeEqualAcrossReplicas",
                                           "isParallelWriteable", "createDeviceManager",
                                           "getNumDevices",       "supportsRemoteBuffers"};

// Called by tests alone: what a widget shows, a table or an invariant that a test proves, a kernel to compare with.
constexpr std::string_view kForTests[] = {
    "baselineText", "boxOfRow",          "canFold",      "entered",    "hasPicture",    "ipusOfPipeline",
    "isError",      "labelPlaces",       "layerOfPath",  "loadGp",     "markerPlace",   "openTabs",
    "quickCheck",   "schemaMarkdown",    "searchOnHost", "selectedId", "selectedRange", "selectedStep",
    "setPatience",  "sharesStorageWith", "stepInOther",  "totalIn",    "tracedOptions", "unaryInPlace"};

bool isOfProduct(const SourceFile& file) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"reports", "simcore", "analyser", "ui", "app"},
                             [&](std::string_view folder) { return startsWithFolder(file.path, folder); });
}

// Headers of the C interface and of codelets.
bool isForPrograms(const std::string& header) {
  return header == "app/capi/tilescope.h" || startsWithFolder(header, "simcore/native/include");
}

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

template<class F> void forEachWord(const std::string& code, F f) {
  for (std::size_t at = 0; at < code.size();) {
    if (!isWordCharacter(code[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < code.size() && isWordCharacter(code[end])) ++end;
    f(std::string_view(code).substr(at, end - at), at, end);
    at = end;
  }
}

// "Bytes sum() const;": a type, a lower-case name, a parenthesis. Overrides and virtual functions are called through another name.
bool declares(const std::string& code, std::size_t at, std::size_t end) {
  if (end >= code.size() || code[end] != '(' || !std::islower(static_cast<unsigned char>(code[at]))) return false;
  const std::string_view head = std::string_view(code).substr(0, at);
  const auto last = head.find_last_not_of(' ');
  if (last == std::string_view::npos ||
      !(isWordCharacter(head[last]) || head[last] == '>' || head[last] == '&' || head[last] == '*'))
    return false;
  if (last + 1 == at && isWordCharacter(head[last])) return false;
  for (const char* other : {"=", "return", "(", "{", "virtual", "?"})
    if (head.find(other) != std::string_view::npos) return false;
  return code.find("override") == std::string::npos;
}

// "Bytes Table::sum() const {", at the beginning of its line.
bool defines(const std::string& code, std::size_t at, std::size_t end) {
  return end < code.size() && code[end] == '(' && at > 0 && isWordCharacter(code[0]) && code.find('(') == end;
}

struct Uses {
  int declared = 0, defined = 0, others = 0, inTests = 0;
  const SourceFile* header = nullptr;
  int line = 0;
};

} // namespace

std::vector<Violation> checkCallers(const std::vector<SourceFile>& files) {
  std::unordered_map<std::string, Uses> all;
  for (const SourceFile& file : files) {
    if (!isSource(file) || startsWithFolder(file.path, "tests/layout")) continue;
    const bool isProduct = isOfProduct(file);
    for (const Line& line : linesOf(file.text)) {
      const std::string code = codeOf(line.text);
      forEachWord(code, [&](std::string_view word, std::size_t at, std::size_t end) {
        Uses& uses = all[std::string(word)];
        if (isProduct && isHeader(file) && declares(code, at, end)) {
          if (uses.declared++ == 0) uses.header = &file, uses.line = line.number;
        } else if (isProduct && !isHeader(file) && defines(code, at, end)) {
          ++uses.defined;
        } else {
          ++(isProduct ? uses.others : uses.inTests);
        }
      });
    }
  }
  std::vector<Violation> found;
  const auto isIn = [](const auto& list, const std::string& name) { return std::ranges::find(list, name) != std::end(list); };
  for (const auto& [name, uses] : all) {
    const bool isUsed = uses.others > 0 || (uses.inTests > 0 && isIn(kForTests, name)) || isIn(kForOthers, name);
    if (uses.declared == 1 && !isUsed && uses.defined <= 1 && !isForPrograms(uses.header->path))
      found.push_back(
          {uses.header->path, uses.line, name + (uses.inTests > 0 ? "() is called by tests alone" : "() has no caller")});
  }
  std::ranges::sort(found, {}, &Violation::path);
  return found;
}

} // namespace layout
