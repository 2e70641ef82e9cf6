#include "simcore/native/compiler_run.h"

#include "reports/core/text.h"
#include "simcore/native/count/count_module.h"
#include "simcore/native/count/scalar_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace simcore::native {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr std::chrono::seconds kLimit{120};

// A compiler message "file:12:5: error: text".
struct Complaint {
  std::string place, text;
};
Complaint firstError(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    for (const std::string_view word : {" fatal error: ", " error: "})
      if (const std::size_t at = line.find(word); at != std::string::npos) {
        std::string place = line.substr(0, at);
        for (int part = 0; part < 2 && !place.empty() && place.back() == ':'; ++part) { // drops the column
          const std::size_t colon = place.rfind(':', place.size() - 2);
          place.pop_back();
          if (colon == std::string::npos || part == 1) break;
          if (std::count(place.begin(), place.end(), ':') > 1) place = place.substr(0, colon + 1);
        }
        if (!place.empty() && place.back() == ':') place.pop_back();
        return {place, line.substr(at + word.size())};
      }
  return {};
}

// Removes an optimiser flag that this version of the compiler lacks. False if the message is about something else.
bool dropUnknown(Words& flags, const std::string& output) {
  constexpr std::string_view kComplaint = "Unknown command line argument '";
  const std::size_t at = output.find(kComplaint);
  if (at == std::string::npos) return false;
  const std::size_t begin = at + kComplaint.size();
  const auto it = std::find(flags.begin(), flags.end(), output.substr(begin, output.find('\'', begin) - begin));
  if (it == flags.end() || it == flags.begin()) return false;
  flags.erase(it - 1, it + 1); // with the -mllvm before it
  return true;
}

// The names of "undefined symbol: f(float)", "undefined hidden symbol: x" (lld) and "undefined reference to `f(float)'" (bfd), each once.
std::vector<std::string> undefinedSymbols(const std::string& output) {
  std::vector<std::string> names;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::string name;
    if (line.find("error: undefined ") != std::string::npos) {
      if (const std::size_t at = line.find("symbol: "); at != std::string::npos) name = line.substr(at + 8);
    } else if (const std::size_t at = line.find("undefined reference to `"); at != std::string::npos) {
      name = line.substr(at + 24, line.rfind('\'') - at - 24);
    }
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

} // namespace

MissingSymbols::MissingSymbols(std::vector<std::string> names, const std::string& where)
    : Error(ErrorCode::InvalidInput, "the codelet does not link: undefined symbol: " + fmt::format("{}", fmt::join(names, ", ")),
            where, "name the source that defines it in the same call, or add its file to the graph too"),
      m_names(std::move(names)) {}

CompilerRun::Step CompilerRun::started(const Words& words, const char* what) {
  const std::string errors = scratch / fmt::format("errors-{}", m_steps++);
  return {what, std::async(std::launch::async, [words, errors] { return runChild(words, kLimit, errors); })};
}

void CompilerRun::child(const Words& words, const char* what) {
  Step step = started(words, what);
  finish(step);
}

void CompilerRun::finishSilently(Step& step) {
  const std::string before = diagnostics;
  finish(step);
  diagnostics = before;
}

void CompilerRun::finish(Step& step) {
  const ChildResult result = step.result.get();
  if (result.isLate)
    throw Error(ErrorCode::Unsupported, fmt::format("the compiler did not end within {} seconds", kLimit.count()), where,
                "look for a template or a constant expression that does not end");
  if (result.exitCode == 0) {
    diagnostics += result.errors;
    return;
  }
  const Complaint first = firstError(result.errors);
  diagnostics += result.errors;
  if (first.text.find("clang frontend command failed") != std::string::npos || result.exitCode < 0 || first.text.empty())
    throw Error(ErrorCode::Unsupported, fmt::format("the compiler failed ({})", step.what), where,
                fmt::format("try another version of clang, named by {}", "TILESCOPE_CLANG"));
  if (first.text.find(" in asm") != std::string::npos)
    throw Error(ErrorCode::Unsupported, "inline assembly of the machine cannot be run: " + first.text, first.place,
                "write it in C++ or with __builtin_ipu functions");
  if (std::vector<std::string> names = undefinedSymbols(result.errors); !names.empty())
    throw MissingSymbols(std::move(names), where);
  if (first.text.find("duplicate symbol") != std::string::npos)
    throw Error(ErrorCode::InvalidInput, "the codelets do not link: " + first.text, where, "define the symbol in only one file");
  throw Error(ErrorCode::InvalidInput, "the codelet does not compile: " + first.text, first.place);
}

std::string CompilerRun::optimised(const std::string& ir) {
  constexpr int kMostMarked = 3; // scalarising a loop may make clang vectorise the loop around it
  std::string before = ir, after = optimisedOnce(before);
  for (int i = 0; i < kMostMarked; ++i) {
    std::string marked = withScalarLoops(before, after);
    if (marked.empty()) break;
    before = std::move(marked);
    after = optimisedOnce(before);
  }
  return after;
}

std::string CompilerRun::optimisedOnce(const std::string& ir) {
  const std::string before = scratch / "before.ll", after = scratch / "after.ll";
  writeText(before, ir);
  Words flags = machineFlags();
  for (;;) {
    const Words words =
        joined(Words{clang.path, "-w", "-fPIC"}, flags, Words{"-x", "ir", "-S", "-emit-llvm", before, "-o", after});
    const ChildResult result = runChild(words, kLimit, scratch / "errors");
    if (result.exitCode == 0) return fileText(after);
    if (!dropUnknown(flags, result.errors)) {
      child(words, "optimising"); // throws with the compiler's message
      return fileText(after);
    }
  }
}

std::string CompilerRun::lld() const {
  for (const fs::path& name : {fs::path(clang.path).parent_path() / "ld.lld", fs::path("/usr/bin/ld.lld")})
    if (fs::exists(name)) return name.string();
  return {};
}

} // namespace simcore::native
