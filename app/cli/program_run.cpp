#include "app/cli/program_run.h"

#include "analyser/session/shell_line.h"
#include "app/cli/child.h"
#include "reports/core/error.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>
#include <utility>

extern char** environ; // NOLINT: the name is POSIX's

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

constexpr std::chrono::milliseconds kTick{100};  // between checks of the stop token
constexpr std::chrono::milliseconds kToEnd{500}; // between a request to end and a kill

// The words of a line, with {name} replaced by the value of the setting.
Words wordsOf(const std::string& line, const char* option, const std::map<std::string, std::string>& settings,
              std::set<std::string>& used) {
  bool isOpen = false;
  Words words = analyser::shellWords(line, &isOpen);
  if (isOpen) throw Error(ErrorCode::InvalidInput, "a quotation mark is not closed", option);
  for (std::string& word : words) {
    std::string out;
    for (std::size_t at = 0; at < word.size();) {
      const auto end = word[at] == '{' ? word.find('}', at) : std::string::npos;
      const auto setting = end == std::string::npos ? settings.end() : settings.find(word.substr(at + 1, end - at - 1));
      if (setting == settings.end()) {
        out += word[at++];
        continue;
      }
      out += setting->second;
      used.insert(setting->first);
      at = end + 1;
    }
    word = std::move(out);
  }
  return words;
}

fs::path programOf(const ProgramRun& run) {
  std::error_code error;
  const fs::path file = fs::canonical(run.file, error);
  if (error) throw Error(ErrorCode::NotFound, "no such program: " + error.message(), run.file.string());
  if (!fs::is_regular_file(file, error) || access(file.c_str(), X_OK) != 0)
    throw Error(ErrorCode::InvalidInput, "is not an executable program", run.file.string(),
                "name the file that the compiler or linker wrote; a script needs `chmod +x`");
  return file;
}

// Adds the folders of the SDK, beside this program or as installed, for programs that are started without its enable.sh.
void addSdk(Environment& environment) {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& sdk : {bin / ".." / "lib" / "tilescope" / "sdk", bin / ".."}) {
    if (!fs::exists(sdk / "lib" / "libpoplar.so", error)) continue;
    for (const auto& [name, folder] :
         {std::pair("LD_LIBRARY_PATH", "lib"), std::pair("PATH", "bin"), std::pair("PYTHONPATH", "python")})
      if (const fs::path whole = fs::canonical(sdk / folder, error); !error) {
        std::string& value = environment[name];
        value += (value.empty() ? "" : ":") + whole.string();
      }
    return;
  }
}

void addEngineOptions(const ProgramRun& run, Environment& environment) {
  if (run.engineOptions.empty()) return;
  nlohmann::json options = nlohmann::json::object();
  if (const std::string& given = environment["POPLAR_ENGINE_OPTIONS"]; !given.empty())
    options = reports::parseJsonBounded(given, "POPLAR_ENGINE_OPTIONS");
  if (!options.is_object()) throw Error(ErrorCode::InvalidInput, "engine options must be a JSON object", "POPLAR_ENGINE_OPTIONS");
  for (const auto& [name, value] : run.engineOptions) options[name] = value;
  environment["POPLAR_ENGINE_OPTIONS"] = reports::jsonText(options);
}

ChildStart startOf(const ProgramRun& run) {
  const fs::path file = programOf(run);
  std::error_code error;
  if (!run.folder.empty() && !fs::is_directory(run.folder, error))
    throw Error(ErrorCode::NotFound, "no such folder", "--folder " + run.folder);
  std::set<std::string> used;
  ChildStart start{.words = {file.string()},
                   .streams = run.keepsOutput ? ChildStart::Streams::Error : ChildStart::Streams::Same,
                   .folder = run.folder,
                   .hasGroup = true};
  for (std::string& word : wordsOf(run.arguments, "--arguments", run.settings, used)) start.words.push_back(std::move(word));
  Environment environment;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) environment[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  addSdk(environment);
  if (!run.machine.empty()) environment["TILESCOPE_MACHINE"] = run.machine;
  for (const std::string& word : wordsOf(run.environment, "--environment", run.settings, used)) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(ErrorCode::InvalidInput, "'" + word + "' is not NAME=VALUE", "--environment");
    environment[word.substr(0, equals)] = word.substr(equals + 1);
  }
  for (const auto& [name, value] : run.settings)
    if (!used.contains(name))
      throw Error(ErrorCode::InvalidInput, "neither --arguments nor --environment has {" + name + "}",
                  "--set " + name + "=" + value, "write {" + name + "} in one of them");
  addEngineOptions(run, environment);
  if (!run.report.empty()) environment["TILESCOPE_REPORT"] = fs::absolute(run.report).string();
  environment["TILESCOPE_RUN"] = reports::jsonText(nlohmann::json(run.metadata));
  start.environment.emplace();
  for (const auto& [name, value] : environment) start.environment->push_back(name + "=" + value);
  return start;
}

} // namespace

bool isProgramFile(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || access(file.c_str(), X_OK) != 0) return false;
  std::array<char, 4> begin{};
  std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == "\177ELF" || (begin[0] == '#' && begin[1] == '!');
}

void requireStartable(const ProgramRun& run) { startOf(run); }

std::string ProgramEnd::inWords() const {
  if (signal != 0) return std::string("was ended by a signal: ") + strsignal(signal);
  if (exitCode == Child::kNoProgram) return "could not be started, or ended with exit code 127";
  return "ended with exit code " + std::to_string(exitCode);
}

ProgramEnd runProgram(const ProgramRun& run, const std::stop_token& stop, reports::Progress& progress) {
  Child child(startOf(run));
  progress.phase("running " + run.file.filename().string());
  while (!child.endsWithin(kTick)) {
    if (!stop.stop_requested()) continue;
    child.askToEnd();
    child.endsWithin(kToEnd);
    child.kill(); // ends also the processes that it started
    throw reports::Cancelled();
  }
  ProgramEnd end{child.exitCode(), child.signal()};
  std::error_code error;
  end.wroteReport = fs::file_size(run.report, error) > 0 && !error;
  progress.update(1);
  return end;
}

} // namespace app::cli
