// From one source to a shared object and a table of its classes: the child processes and what is between them.
#pragma once

#include "reports/core/error.h"
#include "simcore/native/clang_tool.h"
#include "simcore/native/unit.h"

#include <filesystem>
#include <string>
#include <vector>

namespace simcore::native {

struct SourceRequest {
  std::string source; // absolute path
  std::vector<std::string> flags;
  int archVersion = 2;
  bool keepPreprocessed = false;
  std::string text = {}; // compiled instead of the file, if not empty: a source that was preprocessed before
};

// A function that no source of the request has: another one may.
class MissingFunction : public reports::Error {
public:
  using Error::Error;
};

// What the compiler says about warnings goes to `diagnostics`. Throws Error: InvalidInput with file and line (it does not compile),
// Unsupported (assembly; the compiler crashed or takes too long),
// MissingFunction.
Unit compileSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

// The same from the cache, if nothing changed since. Else an empty unit.
Unit cachedUnit(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache);
void keepUnit(const SourceRequest& request, const Unit& unit, const ClangTool& clang, const CodeCache& cache);

// LLVM IR as text, optimised: of -S and --emit-llvm.
std::string irOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

bool hasHalfInstructions(); // of this processor

} // namespace simcore::native
