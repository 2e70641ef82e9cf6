#include "tests/layout/links.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace layout {

namespace {

struct RoomCall {
  std::string folder;
  bool isPattern = false; // "ui/${view}": folder is "ui/views"
  std::set<std::string> publics, privates;
  std::string file;
  int line = 0;
};

// Included modules, each with one file that includes it.
struct Includes {
  std::map<std::string, std::string> ofHeaders, ofSources;
};

// simcore/ops/conv/x.h -> simcore/ops; empty for the headers of others.
std::string moduleOfHeader(const std::string& header) {
  static const std::regex pattern("((?:reports|simcore|analyser|ui)/[a-z_]+)/.*");
  std::smatch match;
  return std::regex_match(header, match, pattern) ? match[1].str() : std::string();
}

std::vector<RoomCall> roomCalls(const SourceFile& file) {
  static const std::regex pattern(R"(tilescope_room\(\s*([^\s)]+)([^)]*)\))");
  std::vector<RoomCall> calls;
  for (std::sregex_iterator it(file.text.begin(), file.text.end(), pattern), end; it != end; ++it) {
    RoomCall call;
    call.folder = (*it)[1];
    call.isPattern = call.folder.find('$') != std::string::npos;
    if (call.isPattern) call.folder = "ui/views";
    call.file = file.path;
    call.line = 1 + int(std::count(file.text.begin(), file.text.begin() + it->position(), '\n'));
    std::istringstream words((*it)[2]);
    std::set<std::string>* list = nullptr;
    for (std::string word; words >> word;)
      if (word == "PUBLIC")
        list = &call.publics;
      else if (word == "PRIVATE")
        list = &call.privates;
      else if (list && !moduleOfHeader(word + "/").empty())
        list->insert(word);
    calls.push_back(std::move(call));
  }
  return calls;
}

Includes includesOf(const std::string& folder, const std::vector<SourceFile>& files) {
  Includes found;
  for (const SourceFile& file : files) {
    if (!isSource(file) || !startsWithFolder(file.path, folder)) continue;
    for (const Line& line : linesOf(file.text)) {
      const auto include = includeIn(line.text);
      if (!include || !include->quoted) continue;
      const std::string module = moduleOfHeader(include->name);
      if (module.empty() || module == folder || module == "ui/views") continue;
      (isHeader(file) ? found.ofHeaders : found.ofSources).emplace(module, file.path);
    }
  }
  return found;
}

std::vector<std::string> faultsOf(const RoomCall& call, const Includes& includes) {
  std::vector<std::string> faults;
  for (const auto& [module, file] : includes.ofHeaders)
    if (!call.publics.contains(module)) faults.push_back("needs PUBLIC " + module + ", which " + file + " includes");
  for (const auto& [module, file] : includes.ofSources)
    if (!includes.ofHeaders.contains(module) && !call.publics.contains(module) && !call.privates.contains(module))
      faults.push_back("needs PRIVATE " + module + ", which " + file + " includes");
  if (call.isPattern) return faults;
  for (const std::string& module : call.publics)
    if (!includes.ofHeaders.contains(module)) faults.push_back("no header includes " + module + ", so it is not PUBLIC");
  for (const std::string& module : call.privates)
    if (!includes.ofSources.contains(module)) faults.push_back("no source includes " + module);
  return faults;
}

} // namespace

std::vector<Violation> checkLinks(const std::vector<SourceFile>& files) {
  std::vector<Violation> found;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with("CMakeLists.txt")) continue;
    for (const RoomCall& call : roomCalls(file))
      for (const std::string& fault : faultsOf(call, includesOf(call.folder, files)))
        found.push_back({call.file, call.line, call.folder + ": " + fault});
  }
  return found;
}

} // namespace layout
