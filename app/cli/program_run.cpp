#include "app/cli/program_run.h"

#include "analyser/session/shell_line.h"
#include "reports/core/error.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

extern char** environ; // NOLINT: the name is POSIX's

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

constexpr std::chrono::milliseconds kTick{100};       // between looks at the stop token
constexpr std::chrono::milliseconds kBetweenLooks{5}; // at the program
constexpr std::chrono::milliseconds kToEnd{500};      // between a request to end and a kill
constexpr int kNoFolder = 126, kNoProgram = 127;      // exit codes before the program begins, as a shell has them

// The words of a line, with a setting's value for each {name}.
Words wordsOf(const std::string& line, const char* option, const std::map<std::string, std::string>& settings,
              std::set<std::string>& used) {
  bool isOpen = false;
  Words words = analyser::shellWords(line, &isOpen);
  if (isOpen) throw Error(ErrorCode::InvalidInput, "a quote does not end", option);
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

struct Start {
  fs::path file;
  Words words;
  Environment environment;
};

fs::path programOf(const ProgramRun& run) {
  std::error_code error;
  const fs::path file = fs::canonical(run.file, error);
  if (error) throw Error(ErrorCode::NotFound, "no such program: " + error.message(), run.file.string());
  if (!fs::is_regular_file(file, error) || access(file.c_str(), X_OK) != 0)
    throw Error(ErrorCode::InvalidInput, "is not a program that may be started", run.file.string(),
                "name the file that the compiler or linker wrote; a script needs `chmod +x`");
  return file;
}

// Folders of the SDK beside this program or as installed, for programs that are started without its enable.sh.
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

Start startOf(const ProgramRun& run) {
  Start start;
  start.file = programOf(run);
  std::error_code error;
  if (!run.folder.empty() && !fs::is_directory(run.folder, error))
    throw Error(ErrorCode::NotFound, "no such folder", "--folder " + run.folder);
  std::set<std::string> used;
  start.words = {start.file.string()};
  for (std::string& word : wordsOf(run.arguments, "--arguments", run.settings, used)) start.words.push_back(std::move(word));
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) start.environment[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  addSdk(start.environment);
  if (!run.machine.empty()) start.environment["TILESCOPE_MACHINE"] = run.machine;
  for (const std::string& word : wordsOf(run.environment, "--environment", run.settings, used)) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(ErrorCode::InvalidInput, "'" + word + "' is not NAME=VALUE", "--environment");
    start.environment[word.substr(0, equals)] = word.substr(equals + 1);
  }
  for (const auto& [name, value] : run.settings)
    if (!used.contains(name))
      throw Error(ErrorCode::InvalidInput, "neither --arguments nor --environment has {" + name + "}",
                  "--set " + name + "=" + value, "write {" + name + "} in one of them");
  addEngineOptions(run, start.environment);
  if (!run.report.empty()) start.environment["TILESCOPE_REPORT"] = fs::absolute(run.report).string();
  start.environment["TILESCOPE_RUN"] = reports::jsonText(nlohmann::json(run.metadata));
  return start;
}

std::vector<char*> pointersTo(Words& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Between fork and exec: only functions that are safe there.
[[noreturn]] void becomeProgram(char* const* words, char* const* environment, const char* folder, bool keepsOutput, int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNoProgram); // the parent ended before it could be watched
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr); // a mask and ignored signals are inherited
  for (const int handled : {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) signal(handled, SIG_DFL);
  if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (keepsOutput) dup2(STDERR_FILENO, STDOUT_FILENO);
  if (*folder && chdir(folder) != 0) _exit(kNoFolder);
  execve(words[0], words, environment);
  _exit(kNoProgram);
}

// A child in a process group of its own, which ends with this object, and what it started with it.
class Running {
public:
  Running(const ProgramRun& run, Start start) {
    Words environment;
    for (const auto& [name, value] : start.environment) environment.push_back(name + "=" + value);
    const std::vector<char*> words = pointersTo(start.words), variables = pointersTo(environment);
    const int parent = getpid();
    m_pid = fork();
    if (m_pid == 0) becomeProgram(words.data(), variables.data(), run.folder.c_str(), run.keepsOutput, parent);
    if (m_pid < 0) throw Error(ErrorCode::Io, std::string("cannot be started: ") + std::strerror(errno), run.file.string());
    setpgid(m_pid, m_pid); // whoever comes first
  }
  ~Running() { end(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Waits so long at most. A descriptor of the process to wait on is not allowed everywhere.
  bool hasEnded(std::chrono::milliseconds most) const {
    for (const auto end = std::chrono::steady_clock::now() + most;;) {
      siginfo_t ended{};
      if (waitid(P_PID, id_t(m_pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0) return true;
      if (std::chrono::steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
  void askToEnd() { kill(-m_pid, SIGTERM); }
  int status() { // once it has ended
    int status = 0;
    waitpid(std::exchange(m_pid, -1), &status, 0);
    return status;
  }

private:
  void end() {
    if (m_pid > 0) kill(-m_pid, SIGKILL), waitpid(m_pid, nullptr, 0);
  }
  pid_t m_pid = -1;
};

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
  if (exitCode == kNoProgram) return "could not be started, or ended with exit code 127";
  return "ended with exit code " + std::to_string(exitCode);
}

ProgramEnd runProgram(const ProgramRun& run, const std::stop_token& stop, reports::Progress& progress) {
  Running child(run, startOf(run));
  progress.phase("running " + run.file.filename().string());
  while (!child.hasEnded(kTick)) {
    if (!stop.stop_requested()) continue;
    child.askToEnd();
    child.hasEnded(kToEnd);
    throw reports::Cancelled();
  }
  const int status = child.status();
  ProgramEnd end;
  if (WIFEXITED(status)) end.exitCode = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.exitCode = -1, end.signal = WTERMSIG(status);
  std::error_code error;
  end.wroteReport = fs::file_size(run.report, error) > 0 && !error;
  progress.update(1);
  return end;
}

} // namespace app::cli
