// The compiler for codelets, run as a child process. So no library of LLVM is linked, and a crash of the compiler is only an
// error message.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace simcore::native {

struct ClangTool {
  std::string path;     // absolute
  std::string identity; // identifies this build: path, size and modification time
};

// $TILESCOPE_CLANG, else the first of clang++-14 … clang++-19, else clang++ on $PATH. Throws Error(NotFound) naming the packages.
ClangTool findClang();

struct ChildResult {
  int exitCode = -1; // -1 if a signal ended it
  int signal = 0;
  bool isLate = false; // ended after the time limit
  std::string errors;  // its standard error
};

// Runs a program with these words (the first is its path), without a shell. Throws Error(Io) if it cannot be started.
ChildResult runChild(const std::vector<std::string>& words, std::chrono::seconds limit, const std::string& scratchFile);

} // namespace simcore::native
